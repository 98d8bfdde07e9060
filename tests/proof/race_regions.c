/* Races about regions of virtual memory. */
#include <dlfcn.h>

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

typedef void *dlsym_call(void *library, const char *name);

/* Ends a context by the driver's own entry, which no hook sees. */
static void destroy_unseen(CUcontext ending)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	dlsym_call *find = (dlsym_call *)dlvsym(libc, "dlsym", "GLIBC_2.34");
	CUresult (*destroy)(CUcontext);

	*(void **)&destroy =
		find(dlopen("libcuda.so.1", RTLD_NOW), "cuCtxDestroy_v2");
	race_check("cuCtxDestroy_v2", destroy(ending));
}

/* The first context has a region that is free, and ends. */
static void before_unseen(void)
{
	CUcontext ending;
	CUdeviceptr addr;

	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &ending, 0, 0);
	DO(cuMemAlloc_v2, &addr, 24 * MEBI);
	DO(cuMemFree_v2, addr);
	DO(cuCtxCreate_v2, &context, 0, 0);
	DO(cuMemAlloc_v2, &block, MEBI);
	destroy_unseen(ending);
	DO(cuCtxSetCurrent, context);
	ask("trim");
}

static void free_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	DO(cuMemFree_v2, block);
	race_pass();
}

/* The driver hands out the same addresses. */
static void request_there(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuMemAlloc_v2, &block, 24 * MEBI);
}

static void one_is_live(void)
{
	race_expect("live_bytes", figure("live_bytes"), 24 * MEBI);
	DO(cuMemFree_v2, block);
	DO(cuCtxDestroy_v2, context);
}

const struct race race_regions[] = {
	{"first growth of a pool beside its swap", NULL, NULL, 1, 0, before,
	 request_held, swap, regions_end},
	{"free region that goes back beside one in its place", "MNM_POOL",
	 "best_fit_pool", 1, 0, before_unseen, free_held, request_there,
	 one_is_live},
	{0},
};
