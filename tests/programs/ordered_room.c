#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuda.h>

#include "ordered.h"

static int request(CUdeviceptr *block, size_t size, CUstream stream)
{
	return (int)cuMemAllocAsync(block, size, stream);
}

/* Idle memory can't go back while there is work, and no request waits for it.
 * Once the program has waited, it can. */
static void while_memory_is_short(void)
{
	CUstream stream = apart();
	CUdeviceptr blocks[2], large;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	printf("%d", request(&large, 2 * SHORT, stream));
	go = true;
	MUST(cuStreamSynchronize(stream));
	printf(" then %d\n", request(&large, 2 * SHORT, stream));
}

/* A request that fails otherwise waits a while for the end of the work. */
static void while_memory_is_short_for_a_moment(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr blocks[2], large;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	printf("%d\n", request(&large, 2 * SHORT, stream));
}

/* There is no work, so nobody has to be asked for it again and again. */
static void while_memory_is_short_without_barriers(void)
{
	CUstream stream = apart();
	CUdeviceptr blocks[2], large;

	forbid(SYS_membarrier, SECCOMP_RET_ERRNO | ENOSYS);
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuCtxSynchronize());
	printf("%d\n", request(&large, 2 * SHORT, stream));
}

/* Sleeping is forbidden on pain of death. */
static void while_memory_is_short_without_sleep(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr blocks[2], large;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	forbid(SYS_clock_nanosleep, SECCOMP_RET_KILL_PROCESS);
	printf("%d\n", request(&large, 2 * SHORT, stream));
}

static CUmemoryPool limited;
static atomic_bool asks;

static void *asks_in_vain(void *stream)
{
	CUdeviceptr block;

	MUST(cuCtxSetCurrent(context));
	asks = true;
	cuMemAllocFromPoolAsync(&block, 2 * SHORT, limited, stream);
	for (;;)
		usleep(1000);
	return NULL;
}

/* A thread is not cancelled in a request: what it has taken of the pool's limit
 * would be lost. */
static void after_a_thread_that_was_cancelled(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 2 * SHORT};
	CUstream stream = apart(), busy = apart();
	CUdeviceptr blocks[2], large;
	pthread_t thread;

	MUST(cuMemPoolCreate(&limited, &props));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuLaunchHostFunc(busy, held, NULL));
	pthread_create(&thread, NULL, asks_in_vain, stream);
	while (!asks)
		;
	usleep(100000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	go = true;
	MUST(cuCtxSynchronize());
	printf("%d\n", (int)cuMemAllocFromPoolAsync(&large, 2 * SHORT, limited,
						    stream));
}

static void brief(void *unused)
{
	(void)unused;
	usleep(2000);
}

enum { IN_FLIGHT = 4 };

static void *works_all_the_time(void *unused)
{
	CUevent events[IN_FLIGHT];
	CUstream stream;

	(void)unused;
	MUST(cuCtxSetCurrent(context));
	stream = apart();
	for (int i = 0; i < IN_FLIGHT; i++)
		events[i] = event_new();
	for (int i = 0; !go; i++) {
		if (i >= IN_FLIGHT)
			MUST(cuEventSynchronize(events[i % IN_FLIGHT]));
		MUST(cuLaunchHostFunc(stream, brief, NULL));
		MUST(cuEventRecord(events[i % IN_FLIGHT], stream));
	}
	return NULL;
}

/* The device never rests by itself, and its work waits for nobody. */
static void while_memory_is_short_beside_a_server(void)
{
	CUstream stream = apart();
	CUdeviceptr blocks[2], large;
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	pthread_create(&thread, NULL, works_all_the_time, NULL);
	usleep(100000);
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuStreamSynchronize(stream));
	printf("%d\n", request(&large, 2 * SHORT, stream));
	go = true;
	pthread_join(thread, NULL);
}

/* That device's work is nothing to this one's memory. */
static void while_memory_is_short_beside_another_device(void)
{
	CUdeviceptr blocks[2], large;
	CUstream stream, other;

	device_entered(1);
	other = apart();
	MUST(cuCtxSetCurrent(context));
	stream = apart();
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuStreamSynchronize(stream));
	MUST(cuLaunchHostFunc(other, held, NULL));
	printf("%d\n", request(&large, 2 * SHORT, stream));
	go = true;
}

enum { REQUESTS = 200 }; /* take too long if each of them waits */

/* The end of the work does not come. */
static void while_memory_is_short_for_long(void)
{
	CUstream stream = apart();
	CUdeviceptr blocks[2], large;
	int refused = 0;

	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	for (int i = 0; i < REQUESTS; i++)
		refused += request(&large, 2 * SHORT, stream) ==
			   CUDA_ERROR_OUT_OF_MEMORY;
	printf("%d\n", refused);
}

/* A block of any size does, rather than none. */
static void with_larger_blocks_while_memory_is_short(void)
{
	CUstream stream = apart();
	CUdeviceptr block, small;

	MUST(cuMemAllocAsync(&block, 2 * SHORT, stream));
	MUST(cuLaunchHostFunc(stream, held, NULL));
	MUST(cuMemFreeAsync(block, stream));
	printf("%d\n", request(&small, SHORT, stream));
}

/* Without mnm, memory that cuMemFree has returned is there for all. */
static void beside_plain_memory_that_was_freed(void)
{
	CUstream stream = apart(), busy = apart();
	CUdeviceptr block, next;

	MUST(cuMemAlloc(&block, 2 * SHORT));
	MUST(cuMemFree(block));
	MUST(cuLaunchHostFunc(busy, lasting, NULL));
	printf("%d", request(&next, 2 * SHORT, stream));
	MUST(cuCtxSynchronize());
	MUST(cuMemFreeAsync(next, stream));
	MUST(cuCtxSynchronize());
	printf(" %d\n", request(&next, SHORT + SHORT / 2, stream));
}

/* The device's memory is the pool's, free, or somebody else's; nothing is
 * both. What the program has waited for is the pool's up to the threshold. */
static void free_or_reserved(void)
{
	CUstream stream = apart();
	cuuint64_t most = UINT64_MAX, some = SHORT;
	size_t before = free_bytes();
	CUdeviceptr blocks[2];
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(blocks[i], stream));
	MUST(cuStreamSynchronize(stream));
	printf("kept %llu, taken %zu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       (before - free_bytes()) / MEBI);
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &some));
	MUST(cuStreamSynchronize(stream));
	printf("kept %llu, taken %zu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       (before - free_bytes()) / MEBI);
}

/* What a pool has returned is its own again once it is in use. */
static void reserved_again(void)
{
	CUstream stream = apart();
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUmemoryPool pool;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2; i++)
			MUST(cuMemAllocAsync(&blocks[i], SHORT, stream));
		for (int i = 0; i < 2; i++)
			MUST(cuMemFreeAsync(blocks[i], stream));
		printf("%llu ",
		       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       MEBI);
		if (round == 1)
			MUST(cuMemPoolSetAttribute(
				pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				&most));
		MUST(cuStreamSynchronize(stream));
		printf("%llu ",
		       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) /
			       MEBI);
	}
	puts("MiB");
}

/* What no device has can't be had by giving memory back. */
static void of_more_than_there_is(void)
{
	CUstream stream = apart();
	CUdeviceptr block, huge;

	block = asked(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	printf("%d", request(&huge, (size_t)1 << 40, stream));
	printf(" %d\n", (int)cuMemAlloc(&huge, (size_t)1 << 40));
}

enum { POOLS = 100 };

/* Each has a block of another size, which stays idle when the pool is gone. */
static void of_many_pools(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUstream stream = apart();
	unsigned long long used = 0;
	CUmemoryPool pool, of = NULL;
	CUdeviceptr block;

	for (int i = 0; i < POOLS; i++) {
		MUST(cuMemPoolCreate(&pool, &props));
		MUST(cuMemAllocFromPoolAsync(&block, SIZE * (i % 50 + 1), pool,
					     stream));
		used += figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
		MUST(cuMemPoolDestroy(pool));
		MUST(cuPointerGetAttribute(
			&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, block));
		MUST(cuMemFreeAsync(block, stream));
		MUST(cuStreamSynchronize(stream));
	}
	printf("used %llu, of the pool: %d\n", used / SIZE, of == pool);
}

static void of_a_pool_with_a_limit(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 4 * MEBI};
	CUdeviceptr blocks[2], third;
	CUstream stream = apart();
	CUmemoryPool pool;

	MUST(cuMemPoolCreate(&pool, &props));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], 2 * MEBI, pool,
					     stream));
	printf("%d",
	       (int)cuMemAllocFromPoolAsync(&third, 2 * MEBI, pool, stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemFreeAsync(over(blocks[i]), stream));
	MUST(cuStreamSynchronize(stream));
	for (int i = 2; i > 0; i--) /* idle ones would do for the second */
		printf(" %d", (int)cuMemAllocFromPoolAsync(&third, i * 2 * MEBI,
							   pool, stream));
	printf(", used %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / MEBI);
}

/* While a stream captures, CUDA itself serves requests in others. */
static void of_a_pool_with_a_limit_beside_a_capture(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 8 * MEBI};
	CUstream stream = apart(), captured = apart();
	CUdeviceptr block;
	CUmemoryPool pool;
	CUgraph graph;

	MUST(cuMemPoolCreate(&pool, &props));
	for (int i = 0; i < 2; i++) {
		MUST(cuMemAllocFromPoolAsync(&block, 2 * MEBI, pool, stream));
		MUST(cuStreamBeginCapture(captured,
					  CU_STREAM_CAPTURE_MODE_RELAXED));
		MUST(cuMemAllocFromPoolAsync(&block, 2 * MEBI, pool, stream));
		printf("%d ", (int)cuMemAllocFromPoolAsync(&block, 6 * MEBI,
							   pool, stream));
		MUST(cuStreamEndCapture(captured, &graph));
		printf("%d ", (int)cuMemAllocFromPoolAsync(&block, 6 * MEBI,
							   pool, stream));
	}
	printf("used %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) / MEBI);
}

/* The figures of a pool never pass its limit. */
static void of_a_pool_with_a_limit_in_other_sizes(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = 8 * MEBI};
	cuuint64_t most = UINT64_MAX;
	CUdeviceptr blocks[2];
	CUstream stream = apart();
	CUmemoryPool pool;

	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
				   &most));
	MUST(cuMemAllocFromPoolAsync(&blocks[0], 8 * MEBI, pool, stream));
	MUST(cuMemFreeAsync(blocks[0], stream));
	MUST(cuStreamSynchronize(stream));
	for (int i = 0; i < 2; i++)
		MUST(cuMemAllocFromPoolAsync(&blocks[i], 4 * MEBI, pool,
					     stream));
	printf("reserved %llu of %llu\n",
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) / MEBI,
	       figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) / MEBI);
}

const struct ordered_case ordered_room[] = {
	CASE(while_memory_is_short),
	CASE(while_memory_is_short_for_a_moment),
	CASE(while_memory_is_short_without_barriers),
	CASE(while_memory_is_short_without_sleep),
	CASE(after_a_thread_that_was_cancelled),
	CASE(while_memory_is_short_beside_a_server),
	CASE(while_memory_is_short_beside_another_device),
	CASE(while_memory_is_short_for_long),
	CASE(with_larger_blocks_while_memory_is_short),
	CASE(beside_plain_memory_that_was_freed),
	CASE(free_or_reserved),
	CASE(reserved_again),
	CASE(of_more_than_there_is),
	CASE(of_many_pools),
	CASE(of_a_pool_with_a_limit),
	CASE(of_a_pool_with_a_limit_beside_a_capture),
	CASE(of_a_pool_with_a_limit_in_other_sizes),
	{0},
};
