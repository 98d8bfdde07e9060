#include "runtime.h"

EXPORT cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	void *found = NULL;
	int res = ptr ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	res = driver_legacy.MemHostAlloc(&found, size, flags);
	*ptr = found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

EXPORT cudaError_t cudaFreeHost(void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemFreeHost(ptr);
	return runtime_result(res);
}

EXPORT cudaError_t cudaHostGetDevicePointer(void **device_ptr, void *host,
					    unsigned int flags)
{
	CUdeviceptr addr = 0;
	int res = device_ptr ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.MemHostGetDevicePointer(&addr, host, flags);
	if (!res)
		*device_ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemHostGetFlags(flags, host);
	return runtime_result(res);
}

EXPORT cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemHostRegister(ptr, size, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaHostUnregister(void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemHostUnregister(ptr);
	return runtime_result(res);
}
