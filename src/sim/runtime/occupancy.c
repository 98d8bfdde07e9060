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

/* Attributes have the driver's form. */
static CUlaunchConfig config_of(const cudaLaunchConfig_t *config)
{
	return (CUlaunchConfig){
		.gridDimX = config->gridDim.x,
		.gridDimY = config->gridDim.y,
		.gridDimZ = config->gridDim.z,
		.blockDimX = config->blockDim.x,
		.blockDimY = config->blockDim.y,
		.blockDimZ = config->blockDim.z,
		.sharedMemBytes = (unsigned)config->dynamicSmemBytes,
		.hStream = config->stream,
		.attrs = (CUlaunchAttribute *)config->attrs,
		.numAttrs = config->numAttrs,
	};
}

EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *size, const void *host, const cudaLaunchConfig_t *config)
{
	CUfunction function = NULL;
	CUlaunchConfig own;
	int res =
		config ? function_find(host, &function) : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	own = config_of(config);
	return runtime_result(driver_legacy.OccupancyMaxPotentialClusterSize(
		size, function, &own));
}

EXPORT cudaError_t cudaOccupancyMaxActiveClusters(
	int *count, const void *host, const cudaLaunchConfig_t *config)
{
	CUfunction function = NULL;
	CUlaunchConfig own;
	int res =
		config ? function_find(host, &function) : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	own = config_of(config);
	return runtime_result(driver_legacy.OccupancyMaxActiveClusters(
		count, function, &own));
}
