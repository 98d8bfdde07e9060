#include "array.h"
#include "entries.h"

CUresult sim_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *shape,
				       CUarray handle)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	if (res)
		return res;
	if (!shape)
		return CUDA_ERROR_INVALID_VALUE;
	*shape = array->shape;
	return CUDA_SUCCESS;
}

CUresult sim_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *shape,
				     CUarray handle)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	if (res)
		return res;
	if (!shape)
		return CUDA_ERROR_INVALID_VALUE;
	*shape = (CUDA_ARRAY_DESCRIPTOR){.Width = array->shape.Width,
					 .Height = array->shape.Height,
					 .Format = array->shape.Format,
					 .NumChannels =
						 array->shape.NumChannels};
	return CUDA_SUCCESS;
}

/* These are for arrays of kinds that are not supported. */
CUresult sim_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *out,
					CUarray handle)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	(void)out;
	return res ? res : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMipmappedArrayGetSparseProperties(
	CUDA_ARRAY_SPARSE_PROPERTIES *out, CUmipmappedArray handle)
{
	struct array *array;
	CUresult res = mipmap_find(handle, &array);

	(void)out;
	return res ? res : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out,
					  CUarray handle, CUdevice device)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	(void)out, (void)device;
	return res ? res : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMipmappedArrayGetMemoryRequirements(
	CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUmipmappedArray handle,
	CUdevice device)
{
	struct array *array;
	CUresult res = mipmap_find(handle, &array);

	(void)out, (void)device;
	return res ? res : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuArrayGetPlane(CUarray *out, CUarray handle, unsigned plane)
{
	struct array *array;
	CUresult res = array_find(handle, &array);

	(void)out, (void)plane;
	return res ? res : CUDA_ERROR_INVALID_VALUE;
}
