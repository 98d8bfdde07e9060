#include "work.h"

/* Allocations go to the driver first, and make a context only when the driver
 * asks for one, as in NVIDIA's runtime. */
static int needs_context(int res)
{
	return res == CUDA_ERROR_INVALID_CONTEXT ||
	       res == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

EXPORT cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaStream_t stream)
{
	CUdeviceptr addr = 0;
	int res = ptr ? driver_open() : cudaErrorInvalidValue;

	if (!res)
		res = work_driver.MemAllocAsync(&addr, size, stream);
	if (needs_context(res)) {
		res = runtime_enter();
		if (!res)
			res = work_driver.MemAllocAsync(&addr, size, stream);
	}
	if (ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
					   cudaMemPool_t pool,
					   cudaStream_t stream)
{
	CUdeviceptr addr = 0;
	int res = ptr ? driver_open() : cudaErrorInvalidValue;

	if (!res)
		res = work_driver.MemAllocFromPoolAsync(&addr, size, pool,
							stream);
	if (needs_context(res)) {
		res = runtime_enter();
		if (!res)
			res = work_driver.MemAllocFromPoolAsync(&addr, size,
								pool, stream);
	}
	if (ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.MemFreeAsync((CUdeviceptr)ptr, stream);
	return runtime_result(res);
}
