#include <stdint.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

static void shared_with(int device)
{
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAccess(pool, &access, 1));
	MUST(cuMemPoolGetAccess((CUmemAccess_flags *)&flags, pool,
				&access.location));
	printf("access %d\n", (int)flags);
}

static void filled_by_a_peer(CUdeviceptr block)
{
	MUST(cuMemsetD8(block, 7, SIZE));
	MUST(cuCtxSynchronize());
}

static void for_another_device(void)
{
	CUstream stream = apart();
	CUdeviceptr before, after;
	CUcontext own, peer;

	MUST(cuCtxGetCurrent(&own));
	peer = device_entered(1);
	MUST(cuCtxSetCurrent(own));
	before = asked(stream);
	shared_with(1);
	after = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(peer));
	filled_by_a_peer(before);
	filled_by_a_peer(after);
	MUST(cuCtxSetCurrent(own));
	MUST(cuMemFreeAsync(over(before), stream));
	MUST(cuMemFreeAsync(over(after), stream));
}

/* A pool is shared before anything is asked of it, and before the other device
 * has a context. */
static void for_another_device_at_first(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	CUcontext own;

	MUST(cuCtxGetCurrent(&own));
	shared_with(1);
	block = asked(stream);
	used(block, stream);
	MUST(cuStreamSynchronize(stream));
	device_entered(1);
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(own));
	puts("used");
}

/* What the program itself says of the access between the contexts is answered
 * as if nobody else had said anything. */
static void for_another_device_beside_own_access(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream);
	CUcontext own;

	MUST(cuCtxGetCurrent(&own));
	device_entered(1);
	MUST(cuCtxSetCurrent(own));
	shared_with(1);
	device_entered(1);
	printf("%d", (int)cuCtxDisablePeerAccess(own));
	printf(" %d", (int)cuCtxEnablePeerAccess(own, 0));
	printf(" %d", (int)cuCtxEnablePeerAccess(own, 0));
	printf(" %d", (int)cuCtxDisablePeerAccess(own));
	printf(" %d\n", (int)cuCtxDisablePeerAccess(own));
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(own));
}

/* What is waited for is not work of the current context. */
static void with_another_device_current(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemAllocAsync(&block, SHORT, stream));
	MUST(cuMemFreeAsync(block, stream));
	device_entered(1);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(context));
	printf("reserved %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
}

/* Memory is that of the stream's device, whatever context is current. */
static void in_a_stream_of_another_device(void)
{
	CUcontext peer, own;
	CUdeviceptr block;
	CUstream stream;
	int device = -1;

	mix();
	MUST(cuCtxGetCurrent(&own));
	MUST(cuDevicePrimaryCtxRetain(&peer, 1));
	MUST(cuCtxSetCurrent(peer));
	stream = apart();
	MUST(cuCtxSetCurrent(own));
	block = asked(stream);
	MUST(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				   block));
	printf("device %d\n", device);
	MUST(cuMemFreeAsync(over(block), stream));
}

/* The other device's context comes before the pool is shared. */
static void for_another_device_that_is_there(void)
{
	CUstream stream = apart();
	CUdeviceptr block;

	device_entered(1);
	MUST(cuCtxSetCurrent(context));
	shared_with(1);
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuStreamSynchronize(stream));
}

/* What is idle of the pool then is not used again if it can't be reached. */
static void for_another_device_that_comes_later(void)
{
	CUstream stream = apart();

	shared_with(1);
	for (int i = 0; i < 2; i++) {
		MUST(cuMemFreeAsync(over(asked(stream)), stream));
		MUST(cuStreamSynchronize(stream));
		device_entered(1);
		MUST(cuCtxSetCurrent(context));
	}
}

/* The program itself has enabled access between the contexts. */
static void for_another_device_that_reaches_it(void)
{
	CUstream stream = apart();
	CUdeviceptr block;
	CUcontext peer = device_entered(1);

	MUST(cuCtxEnablePeerAccess(context, 0));
	MUST(cuCtxSetCurrent(context));
	shared_with(1);
	block = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(peer));
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(context));
}

/* Access ends with the context whose memory it is. */
static void for_another_device_after_a_reset(void)
{
	CUcontext peer = device_entered(1), own;
	CUstream stream;
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	over(asked(NULL));
	shared_with(1);
	MUST(cuDevicePrimaryCtxReset(0));
	own = device_entered(0);
	stream = apart();
	block = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(peer));
	filled_by_a_peer(block);
	MUST(cuCtxSetCurrent(own));
	puts("used");
}

/* So does what the program has said of it. */
static void for_another_device_beside_own_access_after_a_reset(void)
{
	CUcontext peer = device_entered(1), own;
	CUstream stream;
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	over(asked(NULL));
	shared_with(1);
	MUST(cuCtxSetCurrent(peer));
	printf("%d", (int)cuCtxEnablePeerAccess(context, 0));
	MUST(cuDevicePrimaryCtxReset(0));
	own = device_entered(0);
	stream = apart();
	block = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(peer));
	filled_by_a_peer(block);
	printf(" %d", (int)cuCtxEnablePeerAccess(own, 0));
	printf(" %d\n", (int)cuCtxEnablePeerAccess(own, 0));
	MUST(cuCtxSetCurrent(own));
}

/* Nothing of the pool can be reached so far. */
static void of_a_device_without_a_context(void)
{
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemoryPool pool;
	CUdeviceptr block;
	CUstream stream;

	MUST(cuDeviceGetDefaultMemPool(&pool, 1));
	MUST(cuMemPoolSetAccess(pool, &access, 1));
	device_entered(1);
	stream = apart();
	block = asked(stream);
	MUST(cuStreamSynchronize(stream));
	MUST(cuCtxSetCurrent(context));
	filled_by_a_peer(block);
	puts("used");
}

/* What one device's pool keeps is not missing on another. */
static void free_beside_another_device(void)
{
	CUstream stream = apart();
	cuuint64_t most = UINT64_MAX;
	CUmemoryPool pool;
	CUdeviceptr block;
	size_t before;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	MUST(cuMemAllocAsync(&block, SHORT, stream));
	MUST(cuMemFreeAsync(block, stream));
	MUST(cuStreamSynchronize(stream));
	device_entered(1);
	before = free_bytes();
	MUST(cuMemAlloc(&block, SHORT));
	MUST(cuMemFree(block));
	printf("missing %zu\n", (before - free_bytes()) / MEBI);
	MUST(cuCtxSetCurrent(context));
}

const struct ordered_case ordered_peers[] = {
	CASE(for_another_device_that_is_there),
	CASE(for_another_device_that_comes_later),
	CASE(for_another_device_that_reaches_it),
	CASE(for_another_device_after_a_reset),
	CASE(for_another_device_beside_own_access_after_a_reset),
	CASE(of_a_device_without_a_context),
	CASE(free_beside_another_device),
	CASE(for_another_device),
	CASE(for_another_device_at_first),
	CASE(for_another_device_beside_own_access),
	CASE(with_another_device_current),
	CASE(in_a_stream_of_another_device),
	{0},
};
