/* CUDA's own pool, in two streams that don't wait for the legacy one. With
 * BENCH_KIND=legacy, stream 0 is the legacy stream, as in programs that name
 * none, and the other waits for it, as cudaStreamCreate makes them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "allocator.h"
#include "fail.h"
#include "order.h"

static cudaStream_t streams[BENCH_STREAMS];

static cudaError_t streams_open(unsigned int flags)
{
	cudaError_t res = cudaSuccess;

	for (int i = 0; i < BENCH_STREAMS && !res; i++)
		if (i || flags == cudaStreamNonBlocking)
			res = cudaStreamCreateWithFlags(&streams[i], flags);
	return res;
}

static bool is_legacy(void)
{
	const char *kind = getenv("BENCH_KIND");

	return kind && !strcmp(kind, "legacy");
}

/* Without this threshold each wait would give the pool's memory back. */
int bench_open(void)
{
	uint64_t all = UINT64_MAX;
	cudaMemPool_t pool;

	return cudaFree(NULL) ||
	       streams_open(is_legacy() ? cudaStreamDefault
					: cudaStreamNonBlocking) ||
	       cudaDeviceGetDefaultMemPool(&pool, 0) ||
	       cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
				       &all);
}

void *bench_stream(unsigned int stream)
{
	return (void *)streams[stream];
}

void *bench_alloc_in(size_t size, unsigned int stream)
{
	void *ptr;

	return cudaMallocAsync(&ptr, size, streams[stream]) ? NULL : ptr;
}

void bench_free_in(void *ptr, size_t size, unsigned int home, unsigned int last)
{
	cudaError_t res = cudaFreeAsync(ptr, streams[last]);

	(void)size;
	(void)home;
	if (res)
		fail("cudaFreeAsync", cudaGetErrorString(res));
}

void *bench_alloc(size_t size)
{
	return bench_alloc_in(size, 0);
}

void bench_free(void *ptr, size_t size)
{
	bench_free_in(ptr, size, 0, 0);
}

void bench_order(unsigned int earlier, unsigned int later)
{
	streams_order(streams[earlier], streams[later]);
}

const char *bench_version(void)
{
	return "cudaMallocAsync";
}
