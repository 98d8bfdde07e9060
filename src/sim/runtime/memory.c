#include "runtime.h"

EXPORT cudaError_t cudaMalloc(void **ptr, size_t size)
{
	CUdeviceptr addr = 0;
	int res = ptr ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	if (size) /* size 0 succeeds here, not in the driver */
		res = driver_legacy.MemAlloc(&addr, size);
	*ptr = (void *)addr;
	return runtime_result(res);
}

/* NULL reaches the driver too: programs start CUDA with cudaFree(NULL). */
EXPORT cudaError_t cudaFree(void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemFree((CUdeviceptr)ptr);
	return runtime_result(res);
}

static int pitch_alloc(void **ptr, size_t *pitch, size_t width, size_t height)
{
	enum { ELEMENT_BYTES = 4 }; /* the least that the driver takes */
	CUdeviceptr addr = 0;
	size_t found = 0;
	int res = runtime_enter();

	if (res)
		return res;
	if (width && height)
		res = driver_legacy.MemAllocPitch(&addr, &found, width, height,
						  ELEMENT_BYTES);
	*ptr = (void *)addr;
	*pitch = found;
	return res;
}

EXPORT cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width,
				   size_t height)
{
	if (!ptr || !pitch)
		return runtime_result(cudaErrorInvalidValue);
	return runtime_result(pitch_alloc(ptr, pitch, width, height));
}

EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *ptr,
				struct cudaExtent extent)
{
	struct cudaPitchedPtr found = {.xsize = extent.width,
				       .ysize = extent.height};
	int res = ptr ? 0 : cudaErrorInvalidValue;

	if (!res)
		res = pitch_alloc(&found.ptr, &found.pitch, extent.width,
				  extent.height * extent.depth);
	if (!res)
		*ptr = found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaMallocManaged(void **ptr, size_t size,
				     unsigned int flags)
{
	CUdeviceptr addr = 0;
	int res = ptr ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	if (size)
		res = driver_legacy.MemAllocManaged(&addr, size, flags);
	*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemGetInfo(free_bytes, total_bytes);
	return runtime_result(res);
}

static enum cudaMemoryType memory_type(unsigned type, unsigned managed)
{
	if (managed)
		return cudaMemoryTypeManaged;
	if (type == CU_MEMORYTYPE_HOST)
		return cudaMemoryTypeHost;
	if (type == CU_MEMORYTYPE_DEVICE)
		return cudaMemoryTypeDevice;
	return cudaMemoryTypeUnregistered;
}

/* Memory that CUDA does not know is no error: its type says so. */
EXPORT cudaError_t cudaPointerGetAttributes(
	struct cudaPointerAttributes *attributes, const void *ptr)
{
	CUpointer_attribute names[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
		CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
		CU_POINTER_ATTRIBUTE_HOST_POINTER,
	};
	unsigned type = 0, managed = 0;
	struct cudaPointerAttributes found = {.device = cudaInvalidDeviceId};
	void *values[] = {&type, &managed, &found.device, &found.devicePointer,
			  &found.hostPointer};
	int res = attributes ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.PointerGetAttributes(
			sizeof(names) / sizeof(names[0]), names, values,
			(CUdeviceptr)ptr);
	if (res)
		return runtime_result(res);
	found.type = memory_type(type, managed);
	if (found.type == cudaMemoryTypeUnregistered)
		found = (struct cudaPointerAttributes){
			.device = cudaInvalidDeviceId};
	*attributes = found;
	return cudaSuccess;
}
