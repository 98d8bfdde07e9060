/* Races about CUDA's pools and their numbers. */
#include <stdatomic.h>

#include "race.h"
#include "schedule.h"

enum { LIMIT_BLOCKS = 4 };
#define MEBI ((size_t)1 << 20)

static CUcontext context;
static CUstream stream;
static CUmemoryPool first_pool, later_pool;
static atomic_bool begun;

static CUmemoryPool pool_made(size_t limit)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
		.maxSize = limit,
	};
	CUmemoryPool pool = NULL;

	DO(cuMemPoolCreate, &pool, &props);
	return pool;
}

static void before_limit(size_t limit)
{
	CUdeviceptr addr;

	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	DO(cuMemAllocAsync, &addr, 2 * MEBI, stream);
	first_pool = pool_made(limit);
	DO(cuDeviceSetMemPool, 0, first_pool);
}

static void before(void)
{
	before_limit(0);
}

static void before_limited(void)
{
	before_limit(8 * MEBI);
}

/* From whatever pool is the current one by then. */
static void request_held(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuMemAllocAsync, &addr, 2 * MEBI, stream);
	race_pass();
}

static void pool_ends_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuMemPoolDestroy, first_pool);
	later_pool = pool_made(LIMIT_BLOCKS * 2 * MEBI);
}

/* The later pool has nothing, and may have as much as its limit. */
static void later_pool_is_whole(void)
{
	CUdeviceptr addr;
	cuuint64_t used = 0;
	CUresult res = CUDA_SUCCESS;
	int blocks = -1;

	DO(cuCtxSetCurrent, context);
	DO(cuMemPoolGetAttribute, later_pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
	   &used);
	race_expect("used", (long)used, 0);
	for (; !res && blocks <= LIMIT_BLOCKS; blocks++)
		res = race_api.cuMemAllocFromPoolAsync(&addr, 2 * MEBI,
						       later_pool, stream);
	race_expect("blocks within the limit", blocks, LIMIT_BLOCKS);
}

const struct race race_pools[] = {
	{"request of the current pool beside its end", NULL, NULL, 1, 0, before,
	 request_held, pool_ends_then, later_pool_is_whole},
	{"request of a current pool with a limit beside its end", NULL, NULL, 1,
	 0, before_limited, request_held, pool_ends_then, later_pool_is_whole},
	{0},
};
