/* The questions of waits.c. In each a kernel keeps a stream busy that has
 * nothing to do with the memory in question. */
#include "waits.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static const size_t SMALL = (size_t)64 << 20;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static bool is_busy(CUstream stream)
{
	CUresult res = cuStreamQuery(stream);

	if (res != CUDA_ERROR_NOT_READY)
		CHECK(res);
	return res == CUDA_ERROR_NOT_READY;
}

static void keep_busy(struct world *world, CUstream stream)
{
	void *arguments[] = {&world->linger_ns};

	CHECK(cuLaunchKernel(world->linger, 1, 1, 1, 1, 1, 1, 0, stream,
			     arguments, NULL));
}

static void work(struct world *world, CUstream stream)
{
	CHECK(cuMemsetD8Async(world->keep, 1, KEEP, stream));
}

static CUevent record(CUstream stream)
{
	CUevent event;

	CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	CHECK(cuEventRecord(event, stream));
	return event;
}

/* Puts the later work of `after` behind what was queued in `before`. */
static void order(CUstream before, CUstream after)
{
	CUevent event = record(before);

	CHECK(cuStreamWaitEvent(after, event, 0));
	CHECK(cuEventDestroy(event));
}

/* Did the call that began then leave the kernel running? A call that took far
 * less than the kernel did not wait for it, so if that is over the host was
 * late. */
static enum answer returned(struct world *world, double began)
{
	world->took = now() - began;
	if (is_busy(world->busy))
		return YES;
	return world->took * 2 > (double)world->linger_ns ? NO : UNKNOWN;
}

/* What was seen while the kernel ran, if it still does. */
static enum answer seen(struct world *world, bool is_so)
{
	if (!is_busy(world->busy))
		return UNKNOWN;
	return is_so ? YES : NO;
}

/* Does the first stream's work end while the second's runs? */
static enum answer overtakes(CUstream stream, CUstream running)
{
	bool is_over = false;

	if (!is_busy(running))
		return UNKNOWN;
	while (!is_over) {
		is_over = !is_busy(stream);
		if (!is_busy(running))
			return NO;
	}
	return YES;
}

static void block_free(struct world *world)
{
	CUdeviceptr block = world->block;

	world->block = 0;
	CHECK(cuMemFree(block));
}

static void block_free_async(struct world *world, CUstream stream)
{
	CUdeviceptr block = world->block;

	world->block = 0;
	CHECK(cuMemFreeAsync(block, stream));
}

static enum answer alloc_returns(struct world *world)
{
	double began;

	keep_busy(world, world->busy);
	began = now();
	CHECK(cuMemAlloc(&world->block, SMALL));
	return returned(world, began);
}

static enum answer free_returns(struct world *world)
{
	double began;

	CHECK(cuMemAlloc(&world->block, SMALL));
	keep_busy(world, world->busy);
	began = now();
	block_free(world);
	return returned(world, began);
}

static enum answer async_free_returns(struct world *world)
{
	double began;

	CHECK(cuMemAlloc(&world->block, SMALL));
	keep_busy(world, world->busy);
	began = now();
	block_free_async(world, world->apart);
	return returned(world, began);
}

/* Waits for what was freed of that size in a stream of its own, behind the
 * kernel's launch. Returns when the wait began. */
static double free_and_wait(struct world *world, size_t size)
{
	double began;

	CHECK(cuMemAlloc(&world->block, size));
	keep_busy(world, world->busy);
	block_free_async(world, world->apart);
	began = now();
	CHECK(cuStreamSynchronize(world->apart));
	return began;
}

static enum answer wait_returns(struct world *world)
{
	return returned(world, free_and_wait(world, SMALL));
}

static size_t device_free(void)
{
	size_t unused, total;

	CHECK(cuMemGetInfo(&unused, &total));
	return unused;
}

static enum answer device_has_it(struct world *world)
{
	size_t before = device_free();

	free_and_wait(world, world->large);
	return seen(world, device_free() + SMALL > before);
}

/* Asks for more than what is left if the block was not given back. */
static CUresult large_alloc(struct world *world)
{
	CUresult res = cuMemAlloc(&world->block, world->large);

	if (res != CUDA_ERROR_OUT_OF_MEMORY)
		CHECK(res);
	return res;
}

static enum answer alloc_has_it(struct world *world)
{
	double began;

	free_and_wait(world, world->large);
	if (!is_busy(world->busy))
		return UNKNOWN;
	began = now();
	if (large_alloc(world))
		return NO;
	world->took = now() - began;
	return YES;
}

static enum answer alloc_has_it_at_once(struct world *world)
{
	double began;

	free_and_wait(world, world->large);
	if (!is_busy(world->busy))
		return UNKNOWN;
	began = now();
	return large_alloc(world) ? NO : returned(world, began);
}

static const CUmemAllocationProp page_prop = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
};

/* Mapped memory comes and goes in five calls. `which` is timed; those before
 * it are made before the kernel, those after it behind it. */
enum page_call { CREATE, MAP, ACCESS, UNMAP, RELEASE, PAGE_CALLS };

static CUresult page_call(enum page_call call, CUdeviceptr place,
			  CUmemGenericAllocationHandle *pages)
{
	const CUmemAccessDesc all = {page_prop.location,
				     CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	switch (call) {
	case CREATE:
		return cuMemCreate(pages, SMALL, &page_prop, 0);
	case MAP:
		return cuMemMap(place, SMALL, 0, *pages, 0);
	case ACCESS:
		return cuMemSetAccess(place, SMALL, &all, 1);
	case UNMAP:
		return cuMemUnmap(place, SMALL);
	default:
		return cuMemRelease(*pages);
	}
}

static enum answer page_call_returns(struct world *world, enum page_call which)
{
	CUmemGenericAllocationHandle pages;
	enum answer answer = UNKNOWN;
	CUdeviceptr place;

	CHECK(cuMemAddressReserve(&place, SMALL, 0, 0, 0));
	for (enum page_call call = CREATE; call < PAGE_CALLS; call++) {
		double began;

		if (call == which)
			keep_busy(world, world->busy);
		began = now();
		CHECK(page_call(call, place, &pages));
		if (call == which)
			answer = returned(world, began);
	}
	CHECK(cuCtxSynchronize());
	CHECK(cuMemAddressFree(place, SMALL));
	return answer;
}

static enum answer create_returns(struct world *world)
{
	return page_call_returns(world, CREATE);
}

static enum answer map_returns(struct world *world)
{
	return page_call_returns(world, MAP);
}

static enum answer access_returns(struct world *world)
{
	return page_call_returns(world, ACCESS);
}

static enum answer unmap_returns(struct world *world)
{
	return page_call_returns(world, UNMAP);
}

static enum answer release_returns(struct world *world)
{
	return page_call_returns(world, RELEASE);
}

static void policy_off(CUmemoryPool pool, CUmemPool_attribute policy)
{
	int off = 0;

	CHECK(cuMemPoolSetAttribute(pool, policy, &off));
}

/* A block of a pool that allows no reuse but by what the host has seen. The
 * host has seen the end of all work with it. */
static void pool_block(struct world *world, cuuint64_t keeps)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

	CHECK(cuMemPoolCreate(&world->pool, &props));
	CHECK(cuMemPoolSetAttribute(world->pool,
				    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keeps));
	policy_off(world->pool,
		   CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
	policy_off(world->pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
	policy_off(world->pool,
		   CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
	CHECK(cuMemAllocFromPoolAsync(&world->block, SMALL, world->pool,
				      world->apart));
	CHECK(cuStreamSynchronize(world->apart));
}

static enum answer pool_free_returns(struct world *world)
{
	double began;

	pool_block(world, UINT64_MAX);
	keep_busy(world, world->busy);
	began = now();
	block_free(world);
	return returned(world, began);
}

/* Is a figure of the pool lower after its only block was freed? */
static enum answer lowers(struct world *world, CUmemPool_attribute figure,
			  cuuint64_t keeps)
{
	cuuint64_t value;

	pool_block(world, keeps);
	keep_busy(world, world->busy);
	block_free(world);
	CHECK(cuMemPoolGetAttribute(world->pool, figure, &value));
	return seen(world, value < SMALL);
}

static enum answer lowers_used(struct world *world)
{
	return lowers(world, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, UINT64_MAX);
}

static enum answer lowers_reserved(struct world *world)
{
	return lowers(world, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 0);
}

static enum answer pool_serves_it(struct world *world)
{
	cuuint64_t reserved;

	pool_block(world, UINT64_MAX);
	keep_busy(world, world->busy);
	block_free(world);
	CHECK(cuMemAllocFromPoolAsync(&world->other, SMALL, world->pool,
				      world->first));
	CHECK(cuMemPoolGetAttribute(
		world->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
	return seen(world, reserved < 2 * SMALL);
}

/* A kernel in one blocking stream, then something in the legacy stream, then
 * work in another blocking stream: can that end first? */
static enum answer legacy_work(struct world *world)
{
	keep_busy(world, world->first);
	work(world, CU_STREAM_LEGACY);
	work(world, world->second);
	return overtakes(world->second, world->first);
}

static enum answer legacy_record(struct world *world)
{
	keep_busy(world, world->first);
	CHECK(cuEventDestroy(record(CU_STREAM_LEGACY)));
	work(world, world->second);
	return overtakes(world->second, world->first);
}

static enum answer legacy_free(struct world *world)
{
	pool_block(world, UINT64_MAX);
	keep_busy(world, world->first);
	block_free_async(world, CU_STREAM_LEGACY);
	work(world, world->second);
	return overtakes(world->second, world->first);
}

/* The event itself: a stream that waits for no other stands behind it. */
static enum answer legacy_event(struct world *world)
{
	keep_busy(world, world->first);
	order(CU_STREAM_LEGACY, world->apart);
	work(world, world->apart);
	return overtakes(world->apart, world->first);
}

static enum answer legacy_wait(struct world *world)
{
	keep_busy(world, world->busy);
	order(world->busy, CU_STREAM_LEGACY);
	work(world, world->first);
	return overtakes(world->first, world->busy);
}

static enum answer legacy_wait_and_record(struct world *world)
{
	keep_busy(world, world->busy);
	order(world->busy, CU_STREAM_LEGACY);
	CHECK(cuEventDestroy(record(CU_STREAM_LEGACY)));
	work(world, world->first);
	return overtakes(world->first, world->busy);
}

/* cuda.h declares only newer forms of it. */
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);

/* Does a kernel of another context of the device write to the block? */
static enum answer reached_by_another(struct world *world, bool enabled)
{
	void *arguments[] = {&world->block};
	CUcontext primary, other;
	CUfunction touch;
	CUresult res = CUDA_SUCCESS;
	CUdevice dev;

	CHECK(cuCtxGetDevice(&dev));
	CHECK(cuCtxGetCurrent(&primary));
	CHECK(cuCtxCreate_v2(&other, 0, dev));
	CHECK(cuModuleGetFunction(&touch, waits_module(), "touch"));
	if (enabled)
		res = cuCtxEnablePeerAccess(primary, 0);
	if (!res)
		res = cuLaunchKernel(touch, 1, 1, 1, 1, 1, 1, 0, NULL,
				     arguments, NULL);
	if (!res)
		res = cuCtxSynchronize();
	world->spoilt = res != CUDA_SUCCESS;
	if (!res)
		CHECK(cuCtxDestroy_v2(other));
	if (!res)
		CHECK(cuCtxSetCurrent(primary));
	return res ? NO : YES;
}

static enum answer plain_is_reached(struct world *world)
{
	CHECK(cuMemAlloc(&world->block, SMALL));
	return reached_by_another(world, false);
}

static enum answer plain_is_reached_if_enabled(struct world *world)
{
	CHECK(cuMemAlloc(&world->block, SMALL));
	return reached_by_another(world, true);
}

static enum answer pool_is_reached(struct world *world)
{
	pool_block(world, UINT64_MAX);
	CHECK(cuCtxSynchronize());
	return reached_by_another(world, false);
}

const struct question questions[] = {
	/* While another stream's kernel runs: */
	{"cuMemAlloc returns", alloc_returns},
	{"cuMemFree returns", free_returns},
	{"cuMemFreeAsync of plain memory returns", async_free_returns},
	{"cuMemCreate returns", create_returns},
	{"cuMemMap returns", map_returns},
	{"cuMemSetAccess returns", access_returns},
	{"cuMemUnmap returns", unmap_returns},
	{"cuMemRelease of unmapped memory returns", release_returns},
	{"the wait for its stream returns", wait_returns},
	{"cuMemGetInfo then counts it as free", device_has_it},
	{"cuMemAlloc then has it", alloc_has_it},
	{"cuMemAlloc then has it while the kernel runs", alloc_has_it_at_once},
	{"cuMemFree of a pool's memory returns", pool_free_returns},
	{"it lowers the pool's used bytes", lowers_used},
	{"it lowers the pool's reserved bytes", lowers_reserved},
	{"the pool then serves another stream with it", pool_serves_it},
	/* Streams that wait for the legacy stream: */
	{"a blocking stream overtakes legacy work", legacy_work},
	{"a blocking stream overtakes a legacy record", legacy_record},
	{"a blocking stream overtakes a legacy free", legacy_free},
	{"a legacy record's event overtakes a blocking stream", legacy_event},
	{"a blocking stream overtakes a legacy wait", legacy_wait},
	{"a blocking stream overtakes a legacy wait and record",
	 legacy_wait_and_record},
	/* Two contexts of one device: */
	{"a kernel of another context reaches plain memory", plain_is_reached},
	{"it does once peer access is enabled", plain_is_reached_if_enabled},
	{"a kernel of another context reaches a pool's memory",
	 pool_is_reached},
	{NULL, NULL},
};
