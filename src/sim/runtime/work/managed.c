#include <string.h>

#include "work.h"

EXPORT cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count,
					struct cudaMemLocation location,
					unsigned int flags, cudaStream_t stream)
{
	CUmemLocation own;
	int res = runtime_enter();

	memcpy(&own, &location, sizeof(own));
	if (!res)
		res = work_driver.MemPrefetchAsync((CUdeviceptr)ptr, count, own,
						   flags, stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr,
					    size_t length, unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamAttachMemAsync(stream, (CUdeviceptr)ptr,
						       length, flags);
	return runtime_result(res);
}

/* Locations have the driver's form. */
EXPORT cudaError_t cudaMemPrefetchBatchAsync(void **addrs, size_t *sizes,
					     size_t count,
					     struct cudaMemLocation *places,
					     size_t *first, size_t number,
					     unsigned long long flags,
					     cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.MemPrefetchBatchAsync(
			(CUdeviceptr *)(void *)addrs, sizes, count,
			(CUmemLocation *)(void *)places, first, number, flags,
			stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemDiscardBatchAsync(void **addrs, size_t *sizes,
					    size_t count,
					    unsigned long long flags,
					    cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.MemDiscardBatchAsync(
			(CUdeviceptr *)(void *)addrs, sizes, count, flags,
			stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
	void **addrs, size_t *sizes, size_t count,
	struct cudaMemLocation *places, size_t *first, size_t number,
	unsigned long long flags, cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.MemDiscardAndPrefetchBatchAsync(
			(CUdeviceptr *)(void *)addrs, sizes, count,
			(CUmemLocation *)(void *)places, first, number, flags,
			stream);
	return runtime_result(res);
}
