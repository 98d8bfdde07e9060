/* What is told of arrays of kinds that the driver may have. */
#include "array.h"
#include "runtime.h"

/* The structures have the driver's form. */
_Static_assert(sizeof(struct cudaArraySparseProperties) ==
			       sizeof(CUDA_ARRAY_SPARSE_PROPERTIES) &&
		       sizeof(struct cudaArrayMemoryRequirements) ==
			       sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS),
	       "the driver's and the runtime's structures differ");

EXPORT cudaError_t cudaArrayGetSparseProperties(
	struct cudaArraySparseProperties *properties, cudaArray_t array)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.ArrayGetSparseProperties(
			(CUDA_ARRAY_SPARSE_PROPERTIES *)properties,
			(CUarray)array);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMipmappedArrayGetSparseProperties(
	struct cudaArraySparseProperties *properties,
	cudaMipmappedArray_t array)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MipmappedArrayGetSparseProperties(
			(CUDA_ARRAY_SPARSE_PROPERTIES *)properties,
			(CUmipmappedArray)array);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *needs,
			       cudaArray_t array, int device)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.ArrayGetMemoryRequirements(
			(CUDA_ARRAY_MEMORY_REQUIREMENTS *)needs, (CUarray)array,
			device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMipmappedArrayGetMemoryRequirements(
	struct cudaArrayMemoryRequirements *needs, cudaMipmappedArray_t array,
	int device)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MipmappedArrayGetMemoryRequirements(
			(CUDA_ARRAY_MEMORY_REQUIREMENTS *)needs,
			(CUmipmappedArray)array, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array,
				     unsigned int number)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.ArrayGetPlane((CUarray *)plane,
						  (CUarray)array, number);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
	unsigned format, channels;
	int res = desc ? driver_open() : cudaErrorInvalidValue;

	if (!res)
		res = channel_read(desc, &format, &channels);
	if (!res)
		res = driver_legacy.DeviceGetTexture1DLinearMaxWidth(
			width, (CUarray_format)format, channels, device);
	return runtime_result(res);
}
