/* CUDA's own pool, on one stream. */
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "allocator.h"
#include "fail.h"

static cudaStream_t stream;

/* Without this threshold each wait would give the pool's memory back. */
int bench_open(void)
{
	uint64_t all = UINT64_MAX;
	cudaMemPool_t pool;

	return cudaFree(NULL) || cudaStreamCreate(&stream) ||
	       cudaDeviceGetDefaultMemPool(&pool, 0) ||
	       cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
				       &all);
}

void *bench_alloc(size_t size)
{
	void *ptr;

	return cudaMallocAsync(&ptr, size, stream) ? NULL : ptr;
}

void bench_free(void *ptr, size_t size)
{
	cudaError_t res = cudaFreeAsync(ptr, stream);

	(void)size;
	if (res)
		fail("cudaFreeAsync", cudaGetErrorString(res));
}

const char *bench_version(void)
{
	return "cudaMallocAsync";
}
