/* Races about the blocks that threads keep for themselves. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "control.h"
#include "race.h"
#include "schedule.h"

/* For blocks as large as LARGE, other threads' caches are searched before the
 * driver is asked. */
enum { LARGE = 1 << 20, WARM = 3 };

static CUcontext context, next;
static CUstream stream;
static CUdeviceptr held[2], other;
static atomic_bool warm, begun, over;

static CUdeviceptr large_new(void)
{
	CUdeviceptr addr = 0;

	DO(cuMemAlloc_v2, &addr, LARGE);
	if (race_api.sim_own)
		race_api.sim_own(addr, LARGE, "a race's");
	return addr;
}

static void large_free(CUdeviceptr addr)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFree_v2, addr);
}

static void pairs(void)
{
	for (int i = 0; i < WARM; i++)
		large_free(large_new());
}

/* Checks that so many bytes are live, and that no block was lost. */
static void figures_check(long live)
{
	char answer[8192];
	long bytes;

	control_ask("stat", answer, sizeof(answer));
	bytes = control_figure(answer, "live_bytes");
	race_expect("live_bytes", bytes, live);
	race_expect("idle_bytes", control_figure(answer, "idle_bytes"),
		    control_figure(answer, "reserved_bytes") - live);
	race_expect("frees", control_figure(answer, "frees"),
		    control_figure(answer, "allocs") - live / LARGE);
}

/* The first thread has two blocks, one of which is idle in its cache. */
static void begin(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	pairs();
	held[0] = large_new();
	held[1] = large_new();
	pairs();
	large_free(held[1]);
}

static void free_first(void)
{
	race_hold();
	large_free(held[0]);
	race_pass();
}

static void alloc_first(void)
{
	race_hold();
	held[1] = large_new();
	race_pass();
}

/* Takes two blocks, at least one of them from another thread's cache. */
static void raid(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	other = large_new();
	large_free(large_new());
	race_pass();
}

static void raid_first(void)
{
	while (!warm)
		schedule_yield();
	race_hold();
	other = large_new();
	race_pass();
}

static void warm_second(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	addr = large_new();
	pairs();
	warm = true;
	schedule_yield();
	large_free(addr); /* then the thread ends */
}

static long figure(const char *name)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, name);
}

/* Asks for all that is idle: each block is there, and only once. */
static void idle_check(long live)
{
	long reserved = figure("reserved_bytes");
	long count = figure("idle_bytes") / LARGE;

	figures_check(live * LARGE);
	for (long i = 0; i < count; i++)
		large_new();
	figures_check((live + count) * LARGE);
	race_expect("reserved_bytes", figure("reserved_bytes"), reserved);
}

static void one_is_live(void)
{
	idle_check(1);
}

static void two_are_live(void)
{
	idle_check(2);
}

static void three_are_live(void)
{
	idle_check(3);
}

/* Moves idle blocks from the caches to the pool, and from there to the
 * driver. */
static void trim(void)
{
	char answer[256];

	control_ask("trim", answer, sizeof(answer));
}

static void swap(void)
{
	char answer[512];

	control_ask("swap no_pool", answer, sizeof(answer));
	control_ask("swap page_unit_pool", answer, sizeof(answer));
}

static void trim_first(void)
{
	race_hold();
	trim();
	race_pass();
}

static void swap_first(void)
{
	race_hold();
	swap();
	race_pass();
}

static void pairs_second(void)
{
	DO(cuCtxSetCurrent, context);
	pairs();
	other = large_new();
}

static void free_last(void)
{
	large_free(other);
	large_free(held[0]);
	large_free(large_new()); /* gives back what is pending */
	figures_check(0);
}

/* While a capture is on, no block is freed for good. */
static void capture_before(void)
{
	begin();
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
}

static void capture(void)
{
	CUgraph graph = NULL;
	char answer[8192];

	DO(cuCtxSetCurrent, context);
	DO(cuStreamBeginCapture_v2, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	other = large_new();
	large_free(other);
	control_ask("stat", answer, sizeof(answer));
	race_expect("held", control_figure(answer, "held_blocks") > 0, 1);
	DO(cuStreamEndCapture, stream, &graph);
	DO(cuGraphDestroy, graph);
}

static void capture_first(void)
{
	race_hold();
	capture();
	race_pass();
}

static void none_is_live(void)
{
	figures_check(0);
}

/* A context ends while another thread keeps blocks of it. That thread goes on
 * in the next context. There it takes a cache of its own, with a block that the
 * first thread keeps. */
static void end_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	DO(cuCtxCreate_v2, &next, 0, 0);
	pairs();
}

/* At this level the end does not look at the context's work first, so its
 * blocks stay in that cache until the context is dead. */
static void end_unfenced_before(void)
{
	setenv("MNM_FENCE", "none", 1);
	setenv("MNM_FORCE", "1", 1);
	end_before();
}

static void end_first(void)
{
	while (!warm)
		schedule_yield();
	begun = true;
	race_hold();
	DO(cuCtxDestroy_v2, context);
	race_pass();
	over = true;
}

static void end_second(void)
{
	CUdeviceptr each[4];

	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < 4; i++)
		each[i] = large_new();
	for (int i = 0; i < 4; i++)
		large_free(each[i]);
	pairs();
	DO(cuCtxSetCurrent, next);
	warm = true;
	while (!begun)
		schedule_yield();
	large_free(large_new());
	while (!over)
		sched_yield(); /* to the first, though it was left */
	DO(cuCtxSynchronize);  /* makes idle blocks safe */
	for (int i = 0; i < 4; i++) {
		each[i] = large_new();
		DO(cuMemsetD32Async, each[i], 1, LARGE / 4, CU_STREAM_LEGACY);
	}
	for (int i = 0; i < 4; i++)
		large_free(each[i]);
}

/* One stream's order ends, beside a request that relies on it. */
static void fill(CUdeviceptr addr, CUstream in)
{
	DO(cuMemsetD32Async, addr, 1, LARGE / 4, in);
}

static void order_before(void)
{
	begin();
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	held[1] = large_new(); /* now nothing is idle, */
	other = large_new();
	fill(held[0], CU_STREAM_LEGACY);
	DO(cuCtxSynchronize);
	fill(held[0], CU_STREAM_LEGACY);
	large_free(held[0]); /* and then only a block that is in use */
}

static void order_first(void)
{
	race_hold();
	held[0] = large_new();
	race_pass();
	fill(held[0], stream);
}

static void order_second(void)
{
	DO(cuCtxSetCurrent, context);
	fill(held[1], stream);
}

/* A free beside a request, in a process where no thread keeps anything. The
 * block must not be in the pool before it is stamped. */
static void slow_before(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	begin();
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	fill(held[0], CU_STREAM_LEGACY);
	fill(held[0], stream);
	held[1] = large_new();
	/* Takes a fence, so that blocks with an old stamp are safe. */
	other = large_new();
	fill(held[0], stream);
}

static void slow_second(void)
{
	DO(cuCtxSetCurrent, context);
	fill(large_new(), CU_STREAM_LEGACY);
}

const struct race race_caches[] = {
	{"free beside a raid", NULL, NULL, 1, 1, begin, free_first, raid,
	 one_is_live},
	{"request beside a raid", NULL, NULL, 1, 1, begin, alloc_first, raid,
	 three_are_live},
	{"raid beside a free and a thread's end", NULL, NULL, 1, 0, begin,
	 raid_first, warm_second, two_are_live},
	{"trim beside requests", NULL, NULL, 1, 0, begin, trim_first,
	 pairs_second, free_last},
	{"swap beside requests", NULL, NULL, 1, 0, begin, swap_first,
	 pairs_second, free_last},
	{"free beside a trim", NULL, NULL, 1, 0, begin, free_first, trim,
	 none_is_live},
	{"free beside a swap", NULL, NULL, 1, 0, begin, free_first, swap,
	 none_is_live},
	{"free beside a capture", NULL, NULL, 1, 0, capture_before, free_first,
	 capture, none_is_live},
	{"capture beside requests", NULL, NULL, 1, 0, capture_before,
	 capture_first, pairs_second, two_are_live},
	{"order of a stream beside a request", NULL, NULL, 1, 0, order_before,
	 order_first, order_second, NULL},
	{"free beside a request, without caches", "MNM_QUARANTINE", "0", 1, 0,
	 slow_before, free_first, slow_second, NULL},
	{"a context's end beside its blocks' thread", NULL, NULL, 1, 0,
	 end_before, end_first, end_second, none_is_live},
	{"a context's end beside its blocks' thread, without fences", NULL,
	 NULL, 1, 0, end_unfenced_before, end_first, end_second, none_is_live},
	{0},
};
