/* cuMemAlloc and cuMemFree, as a program of the driver's API calls them. */
#include <stdint.h>

#include <cuda.h>

#include "allocator.h"
#include "contender.h"
#include "fail.h"

static CUcontext context;

int bench_open(void)
{
	CUdevice device;

	return cuInit(0) || cuDeviceGet(&device, 0) ||
	       cuDevicePrimaryCtxRetain(&context, device) || bench_enter();
}

int bench_enter(void)
{
	return cuCtxSetCurrent(context);
}

void *bench_alloc(size_t size)
{
	CUdeviceptr address;

	if (cuMemAlloc(&address, size))
		return NULL;
	return (void *)(uintptr_t)address;
}

void bench_free(void *ptr, size_t size)
{
	(void)size;
	if (cuMemFree((CUdeviceptr)ptr))
		fail("cuMemFree", "the driver refused it");
}

const char *bench_version(void)
{
	static char text[32];
	int version = 0;

	cuDriverGetVersion(&version);
	snprintf(text, sizeof(text), "CUDA driver %d.%d", version / 1000,
		 version % 1000 / 10);
	return text;
}
