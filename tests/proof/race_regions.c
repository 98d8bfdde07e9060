/* Races about the regions of pools that place blocks. */
#include "control.h"
#include "race.h"

#define MEBI ((size_t)1 << 20)

static CUcontext context;
static CUdeviceptr block;

static void ask(const char *words)
{
	char answer[16384];

	race_expect(words, control_ask(words, answer, sizeof(answer)), true);
}

/* The pool has no region yet. */
static void before(const char *words)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	DO(cuMemAlloc_v2, &block, 512); /* opens the socket */
	DO(cuMemFree_v2, block);
	ask(words);
}

static void before_pages(void)
{
	before("swap vmm_pool");
}

static void before_segments(void)
{
	before("swap best_fit_pool");
}

static void first_request(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	DO(cuMemAlloc_v2, &block, 2 * MEBI);
	race_pass();
}

static void swap_out(void)
{
	ask("swap no_pool");
}

/* With its last block the pool ends, and its regions with it. */
static void nothing_is_left(void)
{
	char answer[16384];

	DO(cuMemFree_v2, block);
	ask("trim");
	DO(cuMemAlloc_v2, &block, 512);
	DO(cuMemFree_v2, block);
	control_ask("stat", answer, sizeof(answer));
	race_expect("regions", control_figure(answer, "regions"), 0);
	race_expect("reserved_bytes", control_figure(answer, "reserved_bytes"),
		    0);
	race_expect("pending_bytes", control_figure(answer, "pending_bytes"),
		    0);
}

const struct race race_regions[] = {
	{"first request beside the end of vmm_pool", "MNM_POOL", "no_pool", 1,
	 0, before_pages, first_request, swap_out, nothing_is_left},
	{"first request beside the end of best_fit_pool", "MNM_POOL", "no_pool",
	 1, 0, before_segments, first_request, swap_out, nothing_is_left},
	{0},
};
