/* Races about the regions of pools that place blocks. */
#include <dlfcn.h>

#include "control.h"
#include "race.h"

#define MEBI ((size_t)1 << 20)

static CUcontext context;
static CUdeviceptr block;

static long figure(const char *name)
{
	char answer[16384];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, name);
}

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
	DO(cuMemFree_v2, block);
	ask("trim");
	DO(cuMemAlloc_v2, &block, 512);
	DO(cuMemFree_v2, block);
	race_expect("regions", figure("regions"), 0);
	race_expect("reserved_bytes", figure("reserved_bytes"), 0);
	race_expect("pending_bytes", figure("pending_bytes"), 0);
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

/* Whether a device may use all of a block, which is virtual memory. */
static void access_expect(CUdeviceptr addr, size_t bytes, int device)
{
	const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
					.id = device};
	unsigned long long flags;

	for (size_t at = 0; at < bytes; at += 2 * MEBI) {
		flags = 0;
		DO(cuMemGetAccess, &flags, &location, addr + at);
		race_expect("access", (long)flags,
			    CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	}
}

static CUdeviceptr other;

static void before_two(void)
{
	before_pages();
	DO(cuMemAlloc_v2, &other, 2 * MEBI);
}

static void second_request(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuMemAlloc_v2, &other, 4 * MEBI);
}

/* A third one fits behind them. */
static void all_are_mapped(void)
{
	CUdeviceptr third;

	DO(cuMemAlloc_v2, &third, 6 * MEBI);
	access_expect(block, 2 * MEBI, 0);
	access_expect(other, 4 * MEBI, 0);
	access_expect(third, 6 * MEBI, 0);
}

static CUcontext peer; /* of the second device */

static void before_access(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &peer, 0, 1);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	DO(cuMemAlloc_v2, &block, 2 * MEBI);
}

static void request(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	DO(cuMemAlloc_v2, &block, 20 * MEBI);
	race_pass();
}

static void access_given(void)
{
	DO(cuCtxSetCurrent, peer);
	DO(cuCtxEnablePeerAccess, context, 0);
}

static void peer_has_access(void)
{
	access_expect(block, 20 * MEBI, 1);
}

static void before_access_and_free(void)
{
	before_access();
	DO(cuMemAlloc_v2, &other, 20 * MEBI);
	DO(cuMemAlloc_v2, &block, 20 * MEBI);
}

static void access_held(void)
{
	DO(cuCtxSetCurrent, peer);
	race_hold();
	DO(cuCtxEnablePeerAccess, context, 0);
	race_pass();
}

/* Gives pages back among those that the peer is given access to. */
static void give_back(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuMemFree_v2, other);
	ask("trim");
	DO(cuMemAlloc_v2, &other, 512);
	DO(cuMemFree_v2, other);
	race_expect("reserved_bytes", figure("reserved_bytes"), 24 * MEBI);
}

enum { LAP = 32, LARGE = 20, LAPS_MOST = 10 };

/* Requests one after the other, of which one needs more pages than the others
 * do: so the plan's addresses there get their memory when that one comes. */
static void ask_and_free(int request)
{
	CUdeviceptr addr;

	DO(cuMemAlloc_v2, &addr,
	   request == LARGE ? 6 * MEBI : (size_t)512 * (size_t)(request + 1));
	DO(cuMemFree_v2, addr);
}

/* A plan is in force, and its large block comes next. */
static void before_large(void)
{
	int request = 0;

	before("swap tstack_pool");
	while (request < LAPS_MOST * LAP && figure("arena_bytes") <= 0)
		ask_and_free(request++ % LAP);
	race_expect("a plan in force", figure("arena_bytes") > 0, true);
	while (request % LAP != LARGE)
		ask_and_free(request++ % LAP);
}

static void large_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	DO(cuMemAlloc_v2, &block, 6 * MEBI);
	race_pass();
}

static void large_request(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuMemAlloc_v2, &other, 6 * MEBI);
}

static void both_have_memory(void)
{
	CUdeviceptr apart = block > other ? block - other : other - block;

	race_expect("6 MiB apart", apart >= 6 * MEBI, true);
	access_expect(block, 6 * MEBI, 0);
	access_expect(other, 6 * MEBI, 0);
	DO(cuMemFree_v2, block);
	DO(cuMemFree_v2, other);
	race_expect("reserved_bytes", figure("reserved_bytes"),
		    figure("idle_bytes"));
}

const struct race race_regions[] = {
	{"two requests that need the same pages of a plan", "MNM_PLAN_THREAD",
	 "0", 1, 0, before_large, large_held, large_request, both_have_memory},
	{"a region that fails to grow beside one that does", "MNM_SIM_FAIL",
	 "cuMemSetAccess:2:2", 1, 0, before_two, first_request, second_request,
	 all_are_mapped},
	{"a region that grows beside a peer's access", "MNM_POOL", "vmm_pool",
	 2, 0, before_access, request, access_given, peer_has_access},
	{"a fresh segment beside a peer's access", "MNM_POOL",
	 "best_fit_pool@virtual", 2, 0, before_access, request, access_given,
	 peer_has_access},
	{"pages that go back beside a peer's access", "MNM_POOL", "vmm_pool", 2,
	 0, before_access_and_free, access_held, give_back, peer_has_access},
	{"first request beside the end of vmm_pool", "MNM_POOL", "no_pool", 1,
	 0, before_pages, first_request, swap_out, nothing_is_left},
	{"first request beside the end of best_fit_pool", "MNM_POOL", "no_pool",
	 1, 0, before_segments, first_request, swap_out, nothing_is_left},
	{"free region that goes back beside one in its place", "MNM_POOL",
	 "best_fit_pool", 1, 0, before_unseen, free_held, request_there,
	 one_is_live},
	{0},
};
