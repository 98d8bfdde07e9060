#include "runtime.h"

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetDefaultMemPool(pool, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetMemPool(pool, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceSetMemPool(device, pool);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
					   enum cudaMemPoolAttr attr,
					   void *value)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolSetAttribute(
			pool, (CUmemPool_attribute)attr, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
					   enum cudaMemPoolAttr attr,
					   void *value)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolGetAttribute(
			pool, (CUmemPool_attribute)attr, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolTrimTo(pool, keep);
	return runtime_result(res);
}
