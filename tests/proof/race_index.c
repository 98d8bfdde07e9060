/* Races about the index of blocks. It grows, or is walked because a context
 * ends, while other threads request and free. */
#include <stdatomic.h>
#include <stdlib.h>

#include "control.h"
#include "race.h"
#include "schedule.h"

/* The index of the library that races run with grows for the 16th block; see
 * tests/proof.mk. */
enum { NEARLY = 13, FEW = 2, BLOCKS_MAX = 64 };

#define NO_POOL "MNM_POOL", "no_pool"

static CUcontext context, other;

/* The blocks that a thread holds, or that exist before the race. */
struct blocks {
	CUdeviceptr each[BLOCKS_MAX];
	int count;
};

static struct blocks held[3];
static atomic_bool warm, going;

static void blocks_new(struct blocks *blocks, int count)
{
	CUdeviceptr addr = 0;

	while (count--) {
		DO(cuMemAlloc_v2, &addr, RACE_BLOCK);
		if (race_api.sim_own)
			race_api.sim_own(addr, RACE_BLOCK, "a race's");
		blocks->each[blocks->count++] = addr;
	}
}

static void blocks_free(struct blocks *blocks)
{
	while (blocks->count) {
		CUdeviceptr addr = blocks->each[--blocks->count];

		if (race_api.sim_disown)
			race_api.sim_disown(addr);
		DO(cuMemFree_v2, addr);
	}
}

static void live_check(void)
{
	char answer[8192];
	long blocks = held[0].count + held[1].count + held[2].count;

	control_ask("stat", answer, sizeof(answer));
	race_expect("live_bytes", control_figure(answer, "live_bytes"),
		    blocks * RACE_BLOCK);
}

/* Checks that no block was lost: a block that the index lacks is not counted
 * when it is freed. */
static void all_are_known(void)
{
	live_check();
	for (int i = 0; i < 3; i++)
		blocks_free(&held[i]);
	live_check();
}

/* The third block from now makes the index grow. */
static void growth_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	blocks_new(&held[0], NEARLY);
}

/* The second thread has a context of its own, and so another lock. */
static void contexts_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &other, 0, 0);
	growth_before();
}

/* Looks for a place while there still is one. Both threads have caches before,
 * as a thread that begins one would wait for one that is busy. */
static void request_first(void)
{
	while (!warm)
		schedule_yield();
	going = true;
	race_hold();
	blocks_new(&held[1], 1);
	race_pass();
}

static void free_first(void)
{
	struct blocks one = {{held[0].each[0]}, 1};

	while (!warm)
		schedule_yield();
	going = true;
	held[0].each[0] = held[0].each[--held[0].count];
	race_hold();
	blocks_free(&one);
	race_pass();
}

static void growth_second(void)
{
	DO(cuCtxSetCurrent, other ? other : context);
	blocks_new(&held[2], 1);
	warm = true;
	while (!going)
		schedule_yield();
	blocks_new(&held[2], 1);
	race_hold();
	blocks_new(&held[2], 1);
	race_pass();
}

/* A context ends while blocks of another one come and go, so their records
 * change hands while they are looked at. */
static void end_before(void)
{
	setenv("MNM_FENCE", "none", 1); /* or two contexts are not plain */
	setenv("MNM_FORCE", "1", 1);
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	blocks_new(&held[0], FEW);
	DO(cuCtxCreate_v2, &other, 0, 0);
	blocks_new(&held[2], FEW);
}

static void end_first(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; race_api.sim_disown && i < held[0].count; i++)
		race_api.sim_disown(held[0].each[i]);
	race_hold();
	DO(cuCtxDestroy_v2, context);
	race_pass();
	held[0].count = 0;
}

static void changes_second(void)
{
	DO(cuCtxSetCurrent, other);
	race_hold();
	blocks_free(&held[2]);
	blocks_new(&held[2], FEW + 1);
	race_pass();
}

static void others_are_known(void)
{
	DO(cuCtxSetCurrent, other);
	all_are_known();
}

const struct race race_index[] = {
	{"request beside another context's growth", NULL, NULL, 1, 19,
	 contexts_before, request_first, growth_second, all_are_known},
	{"free beside a growth", NULL, NULL, 1, 0, growth_before, free_first,
	 growth_second, all_are_known},
	{"direct request beside a growth", NO_POOL, 1, 1, growth_before,
	 request_first, growth_second, all_are_known},
	{"a context's end beside another's requests", NULL, NULL, 1, 23,
	 end_before, end_first, changes_second, others_are_known},
	{"a context's end beside another's direct requests", NO_POOL, 1, 23,
	 end_before, end_first, changes_second, others_are_known},
	{0},
};
