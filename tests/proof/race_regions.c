/* Races about regions of virtual memory. */
#include "control.h"
#include "race.h"

#define MEBI ((size_t)1 << 20)

static CUcontext context;
static CUdeviceptr block;

static long figure(const char *name)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, name);
}

static void ask(const char *words)
{
	char answer[512];

	control_ask(words, answer, sizeof(answer));
}

/* The next request of device memory is the first one of a vmm_pool. */
static void before(void)
{
	CUdeviceptr addr;

	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	DO(cuMemAlloc_v2, &addr, MEBI);
	DO(cuMemFree_v2, addr);
	ask("swap vmm_pool");
}

/* The pool grows for the first time, for which it needs a region. */
static void request_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	DO(cuMemAlloc_v2, &block, 4 * MEBI);
	race_pass();
}

static void swap(void)
{
	ask("swap page_unit_pool");
}

/* The pool that was swapped out has no block any more, and so no region. */
static void regions_end(void)
{
	CUdeviceptr addr;

	DO(cuMemFree_v2, block);
	ask("trim");
	DO(cuMemAlloc_v2, &addr, MEBI);
	DO(cuMemFree_v2, addr);
	race_expect("regions", figure("regions"), 0);
	race_expect("region_bytes", figure("region_bytes"), 0);
	DO(cuCtxDestroy_v2, context);
}

const struct race race_regions[] = {
	{"first growth of a pool beside its swap", NULL, NULL, 1, 0, before,
	 request_held, swap, regions_end},
	{0},
};
