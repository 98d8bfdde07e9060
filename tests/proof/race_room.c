/* Races about memory that goes back to the driver, by a free or with its
 * context, beside a request. */
#include <stdatomic.h>

#include "control.h"
#include "race.h"
#include "schedule.h"

/* A request needs more than half of the device, most of which is idle. */
enum { LITTLE = 1 << 20, MOST = 10 << 20, MORE = 12 << 20 };

static CUcontext primary, other;
static CUdeviceptr held, given, idle, fresh;
static atomic_bool warm, going, over;

static void primary_open(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &primary, 0);
	DO(cuCtxSetCurrent, primary);
}

static void give_before(void)
{
	char answer[256];

	primary_open();
	DO(cuMemAlloc_v2, &held, LITTLE);
	DO(cuMemAlloc_v2, &given, MOST);
	DO(cuMemFree_v2, given);
	control_ask("trim", answer, sizeof(answer));
}

/* This free gives back the block that the trim has left. */
static void give_first(void)
{
	DO(cuCtxSetCurrent, primary);
	race_hold();
	DO(cuMemFree_v2, held);
	race_pass();
}

static void need_second(void)
{
	DO(cuCtxSetCurrent, primary);
	DO(cuMemAlloc_v2, &given, MORE);
}

/* The second thread keeps a block of the context that ends. That block must not
 * serve a request once its memory is gone. */
static void end_first(void)
{
	while (!warm)
		schedule_yield();
	going = true;
	race_hold();
	DO(cuDevicePrimaryCtxRelease_v2, 0);
	race_pass();
}

static void end_second(void)
{
	unsigned int flags;
	int active = 1;

	DO(cuCtxSetCurrent, primary);
	for (int i = 0; i < 2; i++) {
		DO(cuMemAlloc_v2, &held, LITTLE);
		DO(cuMemFree_v2, held);
	}
	warm = true;
	while (!going)
		schedule_yield();
	DO(cuDevicePrimaryCtxGetState, 0, &flags, &active);
	if (!active)
		race_expect("requests that an ended context has served",
			    race_api.cuMemAlloc_v2(&held, LITTLE) ==
				    CUDA_SUCCESS,
			    0);
}

/* A block of the context that ends is idle. Its memory is the driver's before
 * mnm hears of the end, and the driver then uses it for memory that no pool
 * serves. */
static void foreign_before(void)
{
	primary_open();
	DO(cuMemAlloc_v2, &given, LITTLE);
	DO(cuMemFree_v2, given);
	DO(cuCtxCreate_v2, &other, 0, 0);
}

static void foreign_first(void)
{
	going = true;
	race_hold();
	DO(cuDevicePrimaryCtxRelease_v2, 0);
	race_pass();
}

static void foreign_second(void)
{
	CUdeviceptr addr = 0;

	DO(cuCtxSetCurrent, other);
	while (!going)
		schedule_yield();
	DO(cuMemAllocManaged, &addr, LITTLE, CU_MEM_ATTACH_GLOBAL);
	DO(cuMemFree_v2, addr);
}

/* As before. The other context gets its first pool meanwhile, which may have
 * the record of one that ends. */
static void foreign_second_with_pool(void)
{
	CUdeviceptr addr = 0;

	DO(cuCtxSetCurrent, other);
	while (!going)
		schedule_yield();
	DO(cuMemAllocManaged, &addr, LITTLE, CU_MEM_ATTACH_GLOBAL);
	DO(cuMemAlloc_v2, &fresh, LITTLE);
	DO(cuMemFree_v2, addr);
}

/* An end that fails, beside a second free of an idle block. */
static void second_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &other, 0, 0);
	DO(cuMemAlloc_v2, &given, LITTLE);
	DO(cuMemFree_v2, given);
}

static void second_first(void)
{
	going = true;
	race_hold();
	race_expect("the end", race_api.cuCtxDestroy_v2(other), 999);
	race_pass();
}

static void second_second(void)
{
	DO(cuCtxSetCurrent, other);
	while (!going)
		schedule_yield();
	race_expect("a second free", race_api.cuMemFree_v2(given),
		    CUDA_ERROR_INVALID_VALUE);
}

/* One thread needs three quarters of a device. The other never holds more than
 * one quarter. */
enum { SMALL = 2 << 20, SMALLER = 3 << 19, LARGE = 6 << 20 };

static void room_first(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, primary);
	schedule_pace(1);
	DO(cuMemAlloc_v2, &addr, LARGE);
	schedule_pace(0);
	over = true;
}

static void room_second(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, primary);
	while (!over) {
		DO(cuMemAlloc_v2, &addr, SMALL);
		DO(cuMemFree_v2, addr);
		DO(cuMemAlloc_v2, &addr, SMALLER);
		DO(cuMemFree_v2, addr);
		schedule_yield();
	}
}

/* A request that finds no room gives idle memory back once. What is freed from
 * then on is not kept. */
#ifdef PROOF_FREE
enum { IDLE = 7 << 18, TRIMS = 2 }; /* a free may have begun before */
#else
enum { IDLE = 7 << 18, TRIMS = 1 };
#endif

static long own_trims;

static long trims(void)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, "trims");
}

static void once_before(void)
{
	primary_open();
	DO(cuMemAlloc_v2, &idle, IDLE);
	DO(cuMemFree_v2, idle);
}

static void once_first(void)
{
	while (!warm)
		schedule_yield();
	going = true;
	race_hold();
	DO(cuMemAlloc_v2, &given, LARGE);
	race_pass();
}

static void once_second(void)
{
	long before;

	DO(cuCtxSetCurrent, primary);
	for (int i = 0; i < 2; i++) {
		DO(cuMemAlloc_v2, &held, SMALL);
		DO(cuMemFree_v2, held);
	}
	DO(cuMemAlloc_v2, &held, SMALL);
	warm = true;
	while (!going)
		schedule_yield();
	DO(cuMemFree_v2, held);
	before = trims();
	DO(cuMemAlloc_v2, &fresh, SMALLER); /* may have to make room as well */
	own_trims = trims() - before;
}

static void once_after(void)
{
	race_expect("more trims", trims() - own_trims > TRIMS, 0);
}

/* A trimmed block of a context that may be ending stays where it is. It goes
 * back in a free once it is known that the context lives on. */
static void spared_before(void)
{
	char answer[256];

	second_before();
	primary_open();
	DO(cuMemAlloc_v2, &held, LITTLE);
	DO(cuMemAlloc_v2, &idle, LITTLE);
	control_ask("trim", answer, sizeof(answer));
}

static void spared_second(void)
{
	DO(cuCtxSetCurrent, primary);
	while (!going)
		schedule_yield();
	DO(cuMemFree_v2, held);
}

static void spared_after(void)
{
	char answer[8192];

	DO(cuMemFree_v2, idle);
	control_ask("stat", answer, sizeof(answer));
	race_expect("pending bytes", control_figure(answer, "pending_bytes"),
		    0);
}

/* A trimmed block goes back in a free, beside a request that gets its address
 * from the driver. */
enum { FIRST = 4 << 20, LAST = 14 << 20 };

static void trim_before(void)
{
	char answer[256];

	primary_open();
	DO(cuMemAlloc_v2, &given, SMALL);
	DO(cuMemAlloc_v2, &held, SMALL);
	DO(cuMemAlloc_v2, &idle, FIRST);
	DO(cuMemFree_v2, given);
	control_ask("trim", answer, sizeof(answer));
}

static void trim_second(void)
{
	DO(cuCtxSetCurrent, primary);
	DO(cuMemFree_v2, idle);
	DO(cuMemAlloc_v2, &fresh, SMALLER);
}

static void trim_after(void)
{
	DO(cuMemFree_v2, fresh);
	DO(cuMemAlloc_v2, &fresh, LAST); /* succeeds if no memory was lost */
}

/* A retain finds room only in idle memory, while a release ends the context.
 * The retain waits for that end, which waits for the lock of retains and
 * releases. */
static const size_t much = (size_t)8 << 30; /* of the device's 15 GiB */

static void retain_before(void)
{
	primary_open();
	DO(cuMemAlloc_v2, &given, much);
	DO(cuMemFree_v2, given);
}

static void retain_second(void)
{
	while (!going)
		schedule_yield();
	DO(cuDevicePrimaryCtxRetain, &other, 0);
}

const struct race race_room[] = {
	{"room beside what goes back", "MNM_SIM", "16M", 1, 0, give_before,
	 give_first, need_second, NULL},
	{"a context's end beside a request", NULL, NULL, 1, 0, primary_open,
	 end_first, end_second, NULL},
	{"a context's end beside a foreign free", NULL, NULL, 1, 0,
	 foreign_before, foreign_first, foreign_second, NULL},
	{"a context's end beside a foreign free and a first pool", NULL, NULL,
	 1, 0, foreign_before, foreign_first, foreign_second_with_pool, NULL},
	{"an end that fails beside a second free", "MNM_SIM_FAIL",
	 "cuCtxDestroy_v2:1:999", 1, 0, second_before, second_first,
	 second_second, NULL},
	{"trimmed block beside an end that fails", "MNM_SIM_FAIL",
	 "cuCtxDestroy_v2:1:999", 1, 0, spared_before, second_first,
	 spared_second, spared_after},
	{"trimmed block beside an allocation", "MNM_SIM", "16M", 1, 0,
	 trim_before, give_first, trim_second, trim_after},
	{"room for a context beside its end", "MNM_SIM_NEED",
	 "cuDevicePrimaryCtxRetain:10G:0", 1, 0, retain_before, foreign_first,
	 retain_second, NULL},
	{"room for all", "MNM_SIM", "8M", 1, 0, primary_open, room_first,
	 room_second, NULL},
	{"room beside a free", "MNM_SIM", "8M", 1, 0, once_before, once_first,
	 once_second, once_after},
	{0},
};
