/* Races about requests and frees that go straight to the driver, as their pool
 * keeps nothing. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "control.h"
#include "race.h"
#include "schedule.h"

enum { SIZE = 5000, WARM = 4 };

#define NO_POOL "MNM_POOL", "no_pool"

static CUcontext context, other;
static CUdeviceptr held[3];
static atomic_int freed;
static atomic_bool warm, going;

static CUdeviceptr block_new(void)
{
	CUdeviceptr addr = 0;

	DO(cuMemAlloc_v2, &addr, SIZE);
	if (race_api.sim_own)
		race_api.sim_own(addr, SIZE, "a race's");
	return addr;
}

static void block_free(CUdeviceptr addr)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFree_v2, addr);
}

static void pairs(void)
{
	for (int i = 0; i < WARM; i++)
		block_free(block_new());
}

/* Checks that so many blocks are live, and that all of them are counted. */
static void figures_check(long live)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	race_expect("live_bytes", control_figure(answer, "live_bytes"),
		    live * SIZE);
	race_expect("reserved_bytes",
		    control_figure(answer, "reserved_bytes") -
			    control_figure(answer, "idle_bytes"),
		    live * SIZE);
	race_expect("frees", control_figure(answer, "frees"),
		    control_figure(answer, "allocs") - live);
	race_expect("misses", control_figure(answer, "misses"),
		    control_figure(answer, "driver_allocs"));
}

static void retired_check(long blocks)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	race_expect("retired_bytes", control_figure(answer, "retired_bytes"),
		    blocks * SIZE);
}

static void begin(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	pairs();
	held[0] = block_new();
	held[1] = block_new();
}

static void free_first(void)
{
	race_hold();
	block_free(held[0]);
	race_pass();
}

static void alloc_first(void)
{
	race_hold();
	held[2] = block_new();
	race_pass();
}

static void pairs_second(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	pairs();
	held[2] = block_new();
	block_free(held[1]);
	race_pass();
}

static void one_is_live(void)
{
	figures_check(1);
}

static void swap(const char *pool)
{
	char request[64], answer[512];

	snprintf(request, sizeof(request), "swap %s", pool);
	control_ask(request, answer, sizeof(answer));
}

static void pairs_and_swap(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	pairs();
	swap("page_unit_pool");
	pairs();
	race_pass();
}

/* The first pool ends with its last block. */
static void free_rest(void)
{
	block_free(held[1]);
	figures_check(0);
	retired_check(0);
}

static void free_all(void)
{
	block_free(held[0]);
	block_free(held[2]);
	free_rest();
}

/* Both threads free one block. The driver refuses one of the two frees, maybe
 * the one that mnm counts as the block's. */
static void free_again_before(void)
{
	begin();
	if (race_api.sim_disown)
		race_api.sim_disown(held[0]);
}

static void free_again(void)
{
	if (race_api.cuMemFree_v2(held[0]) == CUDA_SUCCESS)
		freed++;
}

static void free_again_first(void)
{
	race_hold();
	free_again();
	race_pass();
}

static void free_again_second(void)
{
	DO(cuCtxSetCurrent, context);
	pairs();
	race_hold();
	free_again();
	race_pass();
}

static void one_was_freed(void)
{
	race_expect("frees that succeeded", freed, 1);
	pairs();
	swap("page_unit_pool");
	block_free(held[1]);
}

/* The context ends. A request in it may fail then, and its memory is lost with
 * the context. No other thread takes memory, as it could get the address that
 * is freed here. */
static void end_before(void)
{
	setenv("MNM_FENCE", "none", 1); /* or two contexts are not plain */
	setenv("MNM_FORCE", "1", 1);
	free_again_before();
	DO(cuCtxCreate_v2, &other, 0, 0);
	DO(cuCtxSetCurrent, context);
	pairs();
}

static void end_first(void)
{
	CUdeviceptr addr;

	race_hold();
	race_api.cuMemAlloc_v2(&addr, SIZE);
	race_api.cuMemFree_v2(held[0]);
	race_pass();
}

static void end_second(void)
{
	DO(cuCtxSetCurrent, other);
	race_hold();
	DO(cuCtxDestroy_v2, context);
	race_pass();
}

static void none_is_live(void)
{
	char answer[8192];

	DO(cuCtxSetCurrent, other);
	pairs();
	control_ask("stat", answer, sizeof(answer));
	race_expect("live_bytes", control_figure(answer, "live_bytes"), 0);
	race_expect("reserved_bytes", control_figure(answer, "reserved_bytes"),
		    0);
	swap("page_unit_pool");
	retired_check(0);
}

/* A block of another pool is freed, beside requests for which the index
 * grows. */
#ifdef PROOF_FREE
enum { MANY = 2870, MORE = 20 };
#else
enum { MANY = 40, MORE = 20 }; /* as in tests/proof.mk */
#endif

static void blocks_new(int count)
{
	while (count--)
		block_new();
}

static void grow_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	held[0] = block_new();
	swap("no_pool");
	blocks_new(MANY);
	pairs();
}

/* Both threads use the direct path before, as a thread that begins to would
 * wait for one that is busy. */
static void grow_first(void)
{
	while (!warm)
		schedule_yield();
	going = true;
	free_first();
}

static void grow_second(void)
{
	DO(cuCtxSetCurrent, context);
	pairs();
	warm = true;
	while (!going)
		schedule_yield();
	blocks_new(MORE);
}

static void many_are_live(void)
{
	figures_check(MANY + MORE);
	retired_check(0);
}

/* A first limit, above all that is used, refuses nothing: a thread has passed
 * through what another pool's requests then count, and gave some of it back. */
static void limit_before(void)
{
	begin();
	swap("page_unit_pool");
	block_free(held[0]);
}

static void limit_first(void)
{
	char answer[512];

	race_hold();
	control_ask("set hard_limit 1G", answer, sizeof(answer));
	race_pass();
}

static void limit_second(void)
{
	DO(cuCtxSetCurrent, context);
	held[0] = block_new();
}

static void limit_after(void)
{
	block_free(held[0]);
	block_free(held[1]);
	figures_check(0);
}

const struct race race_direct[] = {
	{"direct free beside requests", NO_POOL, 1, 3, begin, free_first,
	 pairs_second, one_is_live},
	{"direct request beside a swap", NO_POOL, 1, 3, begin, alloc_first,
	 pairs_and_swap, free_all},
	{"direct free beside a swap", NO_POOL, 1, 3, begin, free_first,
	 pairs_and_swap, free_rest},
	{"direct free beside the same free", NO_POOL, 1, 1, free_again_before,
	 free_again_first, free_again_second, one_was_freed},
	{"direct calls beside their context's end", NO_POOL, 1, 3, end_before,
	 end_first, end_second, none_is_live},
	{"direct free of another pool's beside a growth", NULL, NULL, 1, 0,
	 grow_before, grow_first, grow_second, many_are_live},
	{"request beside a first limit", NO_POOL, 1, 0, limit_before,
	 limit_first, limit_second, limit_after},
	{0},
};
