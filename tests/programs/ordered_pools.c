#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cuda.h>

#include "handle_get.h"
#include "ordered.h"

static void with_policies_off(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUmemoryPool pool;
	CUdeviceptr block;
	int off = 0;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
	     i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
		MUST(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &off));
	mix();
	block = asked(stream);
	used(asked(other), other);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	compare(asked(other), block);
	compare(asked(stream), block);
	MUST(cuMemFreeAsync(over(block), stream));
	compare(asked(other), block);
	compare(asked(stream), block);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	compare(asked(other), block);
}

static void with_policies_switched_off(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUmemoryPool pool;
	CUdeviceptr block;
	int off = 0;

	mix();
	block = asked(stream);
	used(asked(other), other);
	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &off));
	MUST(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &off));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	compare(asked(other), block);
}

static void attributes(void)
{
	CUstream stream = apart();
	CUdeviceptr block = asked(stream), base;
	CUcontext its = (CUcontext)1;
	CUmemoryPool pool, of;
	CUipcMemHandle handle;
	unsigned long long id, later;
	int device = -1, capable = -1;
	size_t size;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuPointerGetAttribute(&its, CU_POINTER_ATTRIBUTE_CONTEXT, block));
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block + 9));
	MUST(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				   block));
	MUST(cuPointerGetAttribute(
		&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
		block));
	MUST(cuMemGetAddressRange(&base, &size, block + 9));
	printf("context %p pool %d device %d legacy %d base %d size %zu ipc %d\n",
	       (void *)its, of == pool, device, capable, base == block, size,
	       (int)handle_get(&handle, block));
	MUST(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, block));
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	MUST(cuPointerGetAttribute(&later, CU_POINTER_ATTRIBUTE_BUFFER_ID,
				   block));
	printf("ids differ: %d\n", id != later);
}

static void figures(void)
{
	cuuint64_t none = 0, some = 1, most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr block, second;
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	block = asked(stream);
	second = asked(stream);
	printf("used %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuMemFreeAsync(over(second), stream));
	MUST(cuCtxSynchronize());
	printf("used %llu of %llu, kept %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 2 * SIZE);
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &none));
	printf("then of %llu; reset to 1: %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
	       (int)cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH,
					  &some));
	MUST(cuMemFreeAsync(over(block), stream));
	block = asked(stream);
	second = asked(stream);
	printf("again %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH));
	MUST(cuMemFreeAsync(over(second), stream));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	MUST(cuMemPoolTrimTo(pool, 0));
	printf("at the end %llu of %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
}

/* What is idle is of the pool that had it last, until another one takes it. */
static void of_another_pool_in_another_stream(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUstream streams[2] = {apart(), apart()};
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUmemoryPool pools[2];

	mix();
	for (int i = 0; i < 2; i++) {
		MUST(cuMemPoolCreate(&pools[i], &props));
		MUST(cuMemPoolSetAttribute(
			pools[i], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &most));
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[i],
					     streams[i]));
	}
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], streams[i]));
	MUST(cuCtxSynchronize());
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[1],
					     streams[1]));
	for (int i = 0; i < 2; i++)
		printf("%llu ",
		       figure(pools[i], CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       SIZE);
	puts("blocks");
}

/* One block of a pool whose memory hardware can decompress into, and one of a
 * pool for a use that nobody knows yet. */
static void pools_for_a_use(void)
{
	const unsigned short uses[] = {CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS,
				       0x4};
	CUstream stream = apart();

	for (int i = 0; i < 2; i++) {
		CUmemPoolProps props = {
			.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
			.usage = uses[i]};
		CUmemoryPool pool;
		CUdeviceptr block;

		MUST(cuMemPoolCreate(&pool, &props));
		MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
		MUST(cuMemFreeAsync(block, stream));
	}
	MUST(cuStreamSynchronize(stream));
}

/* As the last, in one stream. */
static void of_another_pool_in_its_stream(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	cuuint64_t most = UINT64_MAX;
	CUstream stream = apart();
	CUdeviceptr blocks[2];
	CUmemoryPool pools[2];

	mix();
	for (int i = 0; i < 2; i++) {
		MUST(cuMemPoolCreate(&pools[i], &props));
		MUST(cuMemPoolSetAttribute(
			pools[i], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &most));
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[i],
					     stream));
	}
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], SIZE, pools[1],
					     stream));
	for (int i = 0; i < 2; i++)
		printf("%llu ",
		       figure(pools[i], CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       SIZE);
	puts("blocks");
}

/* A block that CUDA serves, since a stream captures, and one of mnm's; never
 * both. */
static void figures_of_both(void)
{
	CUstream stream = apart(), capturing = apart();
	CUmemoryPool pool;
	CUdeviceptr block;
	CUgraph graph;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuStreamEndCapture(capturing, &graph));
	MUST(cuCtxSynchronize());
	printf("%d\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) < 2 * SIZE);
}

static void a_pool_of_its_own(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool, of = NULL;
	CUstream stream = apart();
	CUdeviceptr block, plain;

	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemAllocFromPoolAsync(&block, SIZE, pool, stream));
	begun(block, SIZE);
	MUST(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				   block));
	printf("pool %d used %llu\n", of == pool,
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuDeviceSetMemPool(0, pool));
	plain = asked(stream);
	printf("used %llu\n", figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	MUST(cuMemPoolDestroy(pool));
	MUST(cuMemsetD8Async(block, 1, SIZE, stream));
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuMemFreeAsync(over(plain), stream));
	MUST(cuStreamSynchronize(stream));
	asked(stream);
	asked(stream);
	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	printf("default used %llu, reserved %d\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 2 * SIZE);
}

enum { ROUNDS = 1500 };
static CUmemoryPool chosen[2];
static atomic_int turn; /* odd: the second pool is current, and stays so */

static void *chooses_pools(void *unused)
{
	(void)unused;
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < 3 + i % 3; j++) {
			MUST(cuDeviceSetMemPool(0, chosen[0]));
			for (volatile int k = 0; k < i % 300; k++)
				;
		}
		MUST(cuDeviceSetMemPool(0, chosen[1]));
		turn++;
		while (turn % 2)
			sched_yield();
	}
	return NULL;
}

/* Asks for a block all the time. Once the other thread has chosen the second
 * pool, blocks have to be of that one. */
static void while_another_thread_chooses_pools(void)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
	};
	CUstream stream = apart();
	CUmemoryPool pool;
	CUdeviceptr block;
	pthread_t thread;
	int others = 0;
	bool known;

	MUST(cuMemPoolCreate(&chosen[0], &props));
	MUST(cuMemPoolCreate(&chosen[1], &props));
	pthread_create(&thread, NULL, chooses_pools, NULL);
	while (turn < 2 * ROUNDS) {
		MUST(cuMemAllocAsync(&block, SIZE, stream));
		known = turn % 2;
		MUST(cuMemFreeAsync(block, stream));
		if (!known)
			continue;
		MUST(cuMemAllocAsync(&block, SIZE, stream));
		MUST(cuPointerGetAttribute(
			&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, block));
		MUST(cuMemFreeAsync(block, stream));
		others += pool != chosen[1];
		turn++;
	}
	pthread_join(thread, NULL);
	printf("%d of others\n", others);
}

const struct ordered_case ordered_pools[] = {
	CASE(with_policies_off),
	CASE(with_policies_switched_off),
	CASE(attributes),
	CASE(figures),
	CASE(of_another_pool_in_another_stream),
	CASE(of_another_pool_in_its_stream),
	CASE(figures_of_both),
	CASE(a_pool_of_its_own),
	CASE(pools_for_a_use),
	CASE(while_another_thread_chooses_pools),
	{0},
};
