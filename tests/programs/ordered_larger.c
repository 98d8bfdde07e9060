/* Requests that larger blocks serve, as a pool that kept all would take more
 * than twice what is live. */
#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

enum { LARGE = 4 * MEBI, SMALLER = LARGE - LARGE / 8, SIZES = 20, TIMES = 20 };

/* Long enough for a thread to learn of it. */
static void drift(CUstream stream)
{
	CUdeviceptr block;
	size_t size;

	for (size_t i = 0; i < TIMES * SIZES; i++) {
		size = 2 * MEBI + i % SIZES * 40960;
		MUST(cuMemAllocAsync(&block, size - i / SIZES * 512, stream));
		MUST(cuMemFreeAsync(block, stream));
	}
}

static CUdeviceptr asked_for(size_t size, CUstream stream)
{
	CUdeviceptr block;

	MUST(cuMemAllocAsync(&block, size, stream));
	if (sim_own)
		sim_own(block, size, "a block");
	return block;
}

/* A large block that has been freed in the stream, behind work that lasts. */
static CUdeviceptr large_freed(CUstream stream)
{
	CUdeviceptr block;

	drift(stream);
	block = asked_for(LARGE, stream);
	MUST(cuLaunchHostFunc(stream, held, NULL));
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	return block;
}

static void by_a_larger_block_in_its_stream(void)
{
	CUstream stream = apart();
	CUdeviceptr block, next;

	mix();
	block = large_freed(stream);
	for (size_t i = 0; i < 4; i++) {
		next = asked_for(SMALLER - i * 4096, stream);
		used(next, stream);
		compare(next, block);
		MUST(cuMemFreeAsync(over(next), stream));
	}
}

static void by_a_larger_block_of_another_stream(void)
{
	CUstream stream = apart(), other = apart();

	mix();
	used(asked(other), other);
	large_freed(stream);
	for (size_t i = 0; i < 4; i++)
		used(asked_for(SMALLER + i * 4096, other), other);
	puts("used");
}

static void larger_behind_an_event(bool follows)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUmemoryPool pool;
	CUdeviceptr block;
	int on = follows;

	MUST(cuDeviceGetDefaultMemPool(&pool, 0));
	for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
	     i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++)
		MUST(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &on));
	mix();
	block = large_freed(stream);
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	used(asked(other), other);
	compare(asked_for(SMALLER, other), block);
}

static void by_a_larger_block_behind_an_event(void)
{
	larger_behind_an_event(true);
}

static void by_a_larger_block_with_policies_off(void)
{
	larger_behind_an_event(false);
}

const struct ordered_case ordered_larger[] = {
	CASE(by_a_larger_block_in_its_stream),
	CASE(by_a_larger_block_of_another_stream),
	CASE(by_a_larger_block_behind_an_event),
	CASE(by_a_larger_block_with_policies_off),
	{0},
};
