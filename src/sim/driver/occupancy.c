#include "occupancy.h"

#include "code.h"
#include "entries.h"
#include "module.h"
#include "world.h"

enum { WARP = 32 };

/* One for each 64 threads: 16 of compute capability 7.5, 32 of 8.0 and 9.0. */
uint64_t occupancy_most(void)
{
	return world.profile.threads_per_multiprocessor / 64;
}

uint64_t occupancy_blocks(uint64_t threads, size_t shared)
{
	uint64_t rounded = (threads + WARP - 1) / WARP * WARP;
	uint64_t blocks = occupancy_most();

	if (!threads || threads > THREADS_MOST)
		return 0;
	if (blocks > world.profile.threads_per_multiprocessor / rounded)
		blocks = world.profile.threads_per_multiprocessor / rounded;
	if (shared && blocks > world.profile.shared_bytes / shared)
		blocks = world.profile.shared_bytes / shared;
	return blocks;
}

static unsigned threads_most(const struct function *function)
{
	unsigned most = code_threads(function->code);

	return most ? most : THREADS_MOST;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction handle, int block_size, size_t shared,
	unsigned flags)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!blocks || block_size <= 0 ||
	    flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	*blocks = (uint64_t)block_size > threads_most(function)
			  ? 0
			  : (int)occupancy_blocks(
				    (uint64_t)block_size,
				    shared + code_shared(function->code));
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
							 CUfunction function,
							 int block_size,
							 size_t shared)
{
	return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, function, block_size, shared, CU_OCCUPANCY_DEFAULT);
}

CUresult sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared,
						     CUfunction handle,
						     int blocks, int block_size)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!shared || blocks <= 0 || block_size <= 0 ||
	    (uint64_t)blocks > occupancy_blocks((uint64_t)block_size, 0))
		return CUDA_ERROR_INVALID_VALUE;
	*shared = world.profile.shared_bytes / (uint64_t)blocks;
	*shared -= *shared < code_shared(function->code)
			   ? *shared
			   : code_shared(function->code);
	return CUDA_SUCCESS;
}

/* The program's function may take its time: it is called without the lock. */
static size_t shared_of(CUoccupancyB2DSize of_block, int threads, size_t shared)
{
	if (!of_block)
		return shared;
	pthread_mutex_unlock(&world.lock);
	shared = of_block(threads);
	pthread_mutex_lock(&world.lock);
	return shared;
}

/* Of sizes with as many threads at once, the largest. */
static void best_find(const struct code *code, int most,
		      CUoccupancyB2DSize of_block, size_t shared, int *grid,
		      int *block)
{
	uint64_t best = 0;

	*grid = *block = 0;
	for (int size = most; size > 0; size = (size - 1) / WARP * WARP) {
		uint64_t blocks = occupancy_blocks(
			(uint64_t)size,
			shared_of(of_block, size, shared) + code_shared(code));

		if (blocks * (uint64_t)size <= best)
			continue;
		best = blocks * (uint64_t)size;
		*block = size;
		*grid = (int)(blocks * world.profile.multiprocessors);
	}
}

CUresult sim_cuOccupancyMaxPotentialBlockSizeWithFlags(
	int *grid, int *block, CUfunction handle, CUoccupancyB2DSize of_block,
	size_t shared, int limit, unsigned flags)
{
	struct function *function;
	CUresult res = function_find(handle, &function);
	int most;

	if (res)
		return res;
	most = (int)threads_most(function);
	if (!grid || !block || limit < 0 ||
	    flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	if (limit && limit < most)
		most = limit;
	best_find(function->code, most, of_block, shared, grid, block);
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
					      CUfunction function,
					      CUoccupancyB2DSize of_block,
					      size_t shared, int limit)
{
	return sim_cuOccupancyMaxPotentialBlockSizeWithFlags(
		grid, block, function, of_block, shared, limit,
		CU_OCCUPANCY_DEFAULT);
}
