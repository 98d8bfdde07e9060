#include "race.h"

static CUcontext primary, other, keeper;
static CUfunction touch;
static CUstream streams[2];
static CUdeviceptr old, spare, idle, fresh[2];

static void own(CUdeviceptr addr)
{
	if (race_api.sim_own)
		race_api.sim_own(addr, RACE_BLOCK, "a race's");
}

static CUdeviceptr block_new(void)
{
	CUdeviceptr addr = 0;

	DO(cuMemAlloc_v2, &addr, RACE_BLOCK);
	own(addr);
	return addr;
}

static void block_free(CUdeviceptr addr)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFree_v2, addr);
}

static void block_touch(CUdeviceptr addr, int stream)
{
	uint32_t count = 1, value = 1;
	void *args[] = {&addr, &count, &value};

	DO(cuLaunchKernel, touch, 1, 1, 1, 1, 1, 1, 0, streams[stream], args,
	   NULL);
}

static void block_copy(CUdeviceptr to, CUdeviceptr from)
{
	DO(cuMemcpyDtoDAsync_v2, to, from, RACE_BLOCK, CU_STREAM_LEGACY);
}

static void primary_open(void)
{
	static const char image[] = "touch";
	CUmodule module;

	DO(cuDevicePrimaryCtxRetain, &primary, 0);
	DO(cuCtxSetCurrent, primary);
	DO(cuModuleLoadData, &module, image);
	DO(cuModuleGetFunction, &touch, module, "touch");
}

/* Makes three blocks in a primary context, and gives work to two streams, so
 * that reuse does not rely on the order of one. */
static void begin(void)
{
	DO(cuInit, 0);
	primary_open();
	for (int i = 0; i < 2; i++)
		DO(cuStreamCreate, &streams[i], CU_STREAM_NON_BLOCKING);
	old = block_new();
	spare = block_new();
	idle = block_new();
	block_touch(old, 0);
	block_touch(idle, 1);
}

/* A wait while there is one context, beside another that begins. The work of
 * the new one was not waited for. */
static void wait_before(void)
{
	begin();
	block_free(idle);
}

static void wait_first(void)
{
	DO(cuCtxSetCurrent, primary);
	race_hold();
	DO(cuCtxSynchronize);
	race_pass();
}

static void wait_second(void)
{
	DO(cuCtxCreate_v2, &other, 0, 0);
	block_copy(spare, old);
	block_free(old);
}

static void fresh_touch(void)
{
	DO(cuCtxSetCurrent, primary);
	for (int i = 0; i < 2; i++)
		fresh[i] = block_new();
	for (int i = 0; i < 2; i++)
		block_touch(fresh[i], 0);
}

/* A fence or a wait, beside work on a block and its free. The free either comes
 * before it, as the work does, or is in the next epoch. */
static void fence_first(void)
{
	DO(cuCtxSetCurrent, primary);
	race_hold();
	fresh[0] = block_new();
	race_pass();
}

static void work_second(void)
{
	DO(cuCtxSetCurrent, primary);
	block_touch(old, 1);
	block_free(old);
}

/* A free beside an allocation, which must not get the block before it is
 * stamped. */
static void free_before(void)
{
	wait_before();
	block_new(); /* takes a fence, so blocks with an old stamp are safe */
	block_touch(old, 1);
}

static void free_first(void)
{
	DO(cuCtxSetCurrent, primary);
	race_hold();
	block_free(old);
	race_pass();
}

static void free_second(void)
{
	DO(cuCtxSetCurrent, primary);
	block_touch(block_new(), 0);
}

/* The primary context ends and begins anew, beside an allocation in another
 * context that gives idle memory of the first one back. */
static void renewal_before(void)
{
	begin();
	DO(cuCtxCreate_v2, &keeper, 0, 0);
	block_free(idle);
}

static void renewal_first(void)
{
	if (race_api.sim_disown) {
		race_api.sim_disown(old);
		race_api.sim_disown(spare);
	}
	race_hold();
	DO(cuDevicePrimaryCtxRelease_v2, 0);
	race_pass();
	primary_open();
	for (int i = 0; i < 3; i++)
		block_new();
}

static void renewal_second(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, keeper);
	race_hold();
	DO(cuMemAlloc_v2, &addr, 4 * RACE_BLOCK);
	race_pass();
}

/* A context ends whose work is on a block of another context, and that block is
 * freed. */
static void leave_before(void)
{
	begin();
	DO(cuCtxCreate_v2, &other, 0, 0);
	block_copy(spare, old);
}

static void leave_first(void)
{
	race_hold();
	DO(cuCtxDestroy_v2, other);
	race_pass();
}

static void leave_second(void)
{
	DO(cuCtxSetCurrent, primary);
	block_free(old);
	block_touch(block_new(), 1);
}

/* The primary context ends beside another one, while the work of a third one is
 * on freed memory of it. */
static void three_before(void)
{
	begin();
	DO(cuCtxCreate_v2, &other, 0, 0);
	DO(cuCtxCreate_v2, &keeper, 0, 0);
}

static void copy_and_free(void)
{
	DO(cuCtxSetCurrent, keeper);
	block_copy(spare, old);
	block_free(spare);
	block_free(old);
}

static void last_before(void)
{
	three_before();
	copy_and_free();
}

static void last_second(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(idle);
	DO(cuDevicePrimaryCtxRelease_v2, 0);
}

static void work_and_last_second(void)
{
	copy_and_free();
	last_second();
}

static void last_after(void)
{
	DO(cuCtxSetCurrent, keeper);
	DO(cuCtxSynchronize); /* runs what is still queued */
}

/* An allocation that needs a fence, beside the first access of another device,
 * which then uses the allocated block. */
static void visit_before(void)
{
	begin();
	DO(cuDevicePrimaryCtxRetain, &other, 1);
	DO(cuCtxSetCurrent, other);
	fresh[1] = block_new();
	DO(cuCtxSetCurrent, primary);
	block_free(idle);
}

static void visit_second(void)
{
	DO(cuCtxSetCurrent, other);
	race_hold();
	block_copy(fresh[1], old);
	race_pass();
}

static void visit_after(void)
{
	DO(cuCtxSetCurrent, other);
	block_copy(fresh[0], fresh[1]);
}

/* The first access of another device to memory that a fence has made safe,
 * beside an end of its context that fails. Meanwhile the context must not be
 * forgotten. The driver says that the fence is not over yet, as nobody would
 * have to wait for it otherwise. */
static void spared_before(void)
{
	visit_before();
	fresh[0] = block_new(); /* gets the idle block */
}

static void spared_first(void)
{
	race_hold();
	race_expect("destroy", race_api.cuCtxDestroy_v2(primary), 999);
	race_pass();
}

static void spared_second(void)
{
	visit_after();
}

/* A request for pinned memory, beside a context of another device that begins,
 * copies to pinned memory and frees it. */
static CUdeviceptr pinned_new(void)
{
	void *addr = NULL;

	DO(cuMemHostAlloc, &addr, RACE_BLOCK, CU_MEMHOSTALLOC_PORTABLE);
	own((CUdeviceptr)addr);
	return (CUdeviceptr)addr;
}

static void pinned_free(CUdeviceptr addr)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFreeHost, (void *)addr);
}

static void pinned_before(void)
{
	begin();
	fresh[0] = pinned_new();
	fresh[1] = pinned_new();
	DO(cuCtxSynchronize);
	pinned_free(fresh[0]);
}

static void pinned_first(void)
{
	DO(cuCtxSetCurrent, primary);
	race_hold();
	pinned_new();
	race_pass();
}

static void pinned_second(void)
{
	DO(cuCtxCreate_v2, &other, 0, 1);
	DO(cuMemcpyDtoHAsync_v2, (void *)fresh[1], block_new(), RACE_BLOCK,
	   CU_STREAM_LEGACY);
	pinned_free(fresh[1]);
}

static void pinned_after(void)
{
	DO(cuCtxSetCurrent, primary);
	for (int i = 0; i < 3; i++)
		pinned_new();
}

const struct race race_table[] = {
	{"wait beside a new context", NULL, NULL, 1, 0, wait_before, wait_first,
	 wait_second, fresh_touch},
	{"wait beside work and a free", NULL, NULL, 1, 0, wait_before,
	 wait_first, work_second, fresh_touch},
	{"fence beside work and a free", "MNM_QUARANTINE", "0", 1, 0,
	 wait_before, fence_first, work_second, fresh_touch},
	{"free beside an allocation", "MNM_QUARANTINE", "0", 1, 0, free_before,
	 free_first, free_second, NULL},
	{"fence beside an allocation", "MNM_QUARANTINE", "0", 1, 0, wait_before,
	 fence_first, free_second, NULL},
	{"renewal beside an allocation", "MNM_POOL_LIMIT", "24576", 1, 8,
	 renewal_before, renewal_first, renewal_second, NULL},
	{"free beside a context's end", "MNM_QUARANTINE", "0", 1, 0,
	 leave_before, leave_first, leave_second, NULL},
	{"free that waits beside a context's end", "MNM_FENCE", "sync", 1, 0,
	 leave_before, leave_first, leave_second, NULL},
	{"primary's end beside another's", NULL, NULL, 1, 0, last_before,
	 leave_first, last_second, last_after},
	{"work, then primary's end, beside another's", NULL, NULL, 1, 0,
	 three_before, leave_first, work_and_last_second, last_after},
	{"fence beside a first visit", "MNM_QUARANTINE", "0", 2, 2,
	 visit_before, fence_first, visit_second, visit_after},
	{"first visit beside an end that fails", "MNM_SIM_FAIL",
	 "cuCtxDestroy_v2:1:999,cuEventQuery:1:600,cuEventQuery:2:600", 2, 0,
	 spared_before, spared_first, spared_second, NULL},
	{"pinned memory beside a new context", NULL, NULL, 2, 0, pinned_before,
	 pinned_first, pinned_second, pinned_after},
	{0},
};
