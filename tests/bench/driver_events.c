/* What events.c is, by the driver's API. */
#include <cuda.h>

#include "allocator.h"
#include "driver_order.h"

int bench_open(void)
{
	CUdevice device;

	return streams_open(&device) != CUDA_SUCCESS;
}

void *bench_stream(unsigned int stream)
{
	return (void *)streams[stream];
}

void *bench_alloc_in(size_t size, unsigned int stream)
{
	(void)stream;
	return (void *)(size | 1);
}

void bench_free_in(void *ptr, size_t size, unsigned int home, unsigned int last)
{
	(void)ptr;
	(void)size;
	(void)home;
	(void)last;
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
	return "no allocator";
}
