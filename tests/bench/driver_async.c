/* CUDA's own pool, as a program of the driver's API asks it: in two streams
 * that don't wait for the legacy one. */
#include <stdint.h>

#include <cuda.h>

#include "allocator.h"
#include "driver_order.h"
#include "fail.h"

/* Without this threshold each wait would give the pool's memory back. */
static CUresult pool_open(CUdevice device)
{
	cuuint64_t all = UINT64_MAX;
	CUmemoryPool pool;
	CUresult res = cuDeviceGetDefaultMemPool(&pool, device);

	if (!res)
		res = cuMemPoolSetAttribute(
			pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all);
	return res;
}

int bench_open(void)
{
	CUdevice device;

	return streams_open(&device) || pool_open(device);
}

void *bench_stream(unsigned int stream)
{
	return (void *)streams[stream];
}

void *bench_alloc_in(size_t size, unsigned int stream)
{
	CUdeviceptr address;

	if (cuMemAllocAsync(&address, size, streams[stream]))
		return NULL;
	return (void *)(uintptr_t)address;
}

void bench_free_in(void *ptr, size_t size, unsigned int home, unsigned int last)
{
	(void)size;
	(void)home;
	if (cuMemFreeAsync((CUdeviceptr)ptr, streams[last]))
		fail("cuMemFreeAsync", "the driver refused it");
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
	streams_order(earlier, later);
}

const char *bench_version(void)
{
	return "cuMemAllocAsync";
}
