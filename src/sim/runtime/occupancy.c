#include "binary.h"
#include "runtime.h"

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *host, int block_size, size_t shared_bytes,
	unsigned int flags)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy
			      .OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
				      blocks, function, block_size,
				      shared_bytes, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, const void *host, int block_size, size_t shared_bytes)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, host, block_size, shared_bytes, cudaOccupancyDefault);
}

EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *shared_bytes, const void *host, int blocks, int block_size)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.OccupancyAvailableDynamicSMemPerBlock(
			shared_bytes, function, blocks, block_size);
	return runtime_result(res);
}
