#include "runtime.h"

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps) &&
		       sizeof(CUmemAccessDesc) ==
			       sizeof(struct cudaMemAccessDesc) &&
		       sizeof(CUmemLocation) ==
			       sizeof(struct cudaMemLocation) &&
		       sizeof(CUmemPoolPtrExportData) ==
			       sizeof(struct cudaMemPoolPtrExportData),
	       "the driver's and the runtime's descriptions differ");

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

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
				     const struct cudaMemPoolProps *props)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolCreate(
			pool, (const CUmemPoolProps *)props);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolDestroy(pool);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool,
					const struct cudaMemAccessDesc *desc,
					size_t count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolSetAccess(
			pool, (const CUmemAccessDesc *)desc, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
					cudaMemPool_t pool,
					struct cudaMemLocation *location)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolGetAccess((CUmemAccess_flags *)flags,
						     pool,
						     (CUmemLocation *)location);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool,
					    struct cudaMemLocation *location,
					    enum cudaMemAllocationType type)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemGetDefaultMemPool(
			pool, (CUmemLocation *)location,
			(CUmemAllocationType)type);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool,
				     struct cudaMemLocation *location,
				     enum cudaMemAllocationType type)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemGetMemPool(pool,
						  (CUmemLocation *)location,
						  (CUmemAllocationType)type);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location,
				     enum cudaMemAllocationType type,
				     cudaMemPool_t pool)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemSetMemPool((CUmemLocation *)location,
						  (CUmemAllocationType)type,
						  pool);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolExportToShareableHandle(
	void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
	unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolExportToShareableHandle(
			handle, pool, (CUmemAllocationHandleType)type, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolImportFromShareableHandle(
	cudaMemPool_t *pool, void *handle,
	enum cudaMemAllocationHandleType type, unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolImportFromShareableHandle(
			pool, handle, (CUmemAllocationHandleType)type, flags);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *ptr)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolExportPointer(
			(CUmemPoolPtrExportData *)data, (CUdeviceptr)ptr);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemPoolImportPointer(
	void **ptr, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
	CUdeviceptr addr = 0;
	int res = driver_open();

	if (!res)
		res = driver_legacy.MemPoolImportPointer(
			ptr ? &addr : NULL, pool,
			(CUmemPoolPtrExportData *)data);
	if (!res && ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}
