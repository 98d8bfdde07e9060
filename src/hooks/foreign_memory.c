/* Calls that yield memory which no pool serves. */
#include "call.h"
#include "hook.h"
#include "foreign_call.h"
#include "record/site.h"

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size,
				  unsigned int flags)
{
	NOTES_BEHIND(size);
	struct foreign_claim order;
	CUresult res;

	if (!foreign_begin(&order, CURRENT, out, size)) {
		*out = 0; /* as CUDA does */
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	res = ROOM_CALL(cuMemAllocManaged, out, size, flags);
	return foreign_end(&order, res, FOREIGN_MANAGED, out, size);
}

/* The bits of an element; 0 if the format is unknown or has several planes. */
static size_t element_bits(CUarray_format format, size_t channels)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
	case CU_AD_FORMAT_UNORM_INT8X1 ... CU_AD_FORMAT_UNORM_INT8X4:
	case CU_AD_FORMAT_SNORM_INT8X1 ... CU_AD_FORMAT_SNORM_INT8X4:
		return 8 * channels;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
	case CU_AD_FORMAT_UNORM_INT16X1 ... CU_AD_FORMAT_UNORM_INT16X4:
	case CU_AD_FORMAT_SNORM_INT16X1 ... CU_AD_FORMAT_SNORM_INT16X4:
		return 16 * channels;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 32 * channels;
	case CU_AD_FORMAT_BC1_UNORM ... CU_AD_FORMAT_BC1_UNORM_SRGB:
	case CU_AD_FORMAT_BC4_UNORM ... CU_AD_FORMAT_BC4_SNORM:
		return 4; /* 16 elements are packed into 64 bits */
	case CU_AD_FORMAT_BC2_UNORM ... CU_AD_FORMAT_BC3_UNORM_SRGB:
	case CU_AD_FORMAT_BC5_UNORM ... CU_AD_FORMAT_BC7_UNORM_SRGB:
		return 8;
	default:
		return 0;
	}
}

static size_t at_least_one(size_t extent)
{
	return extent ? extent : 1;
}

/* The bytes of a level of a mipmap, or of a whole array (level 0). A sparse or
 * deferred array has none: what is mapped into it later comes from
 * cuMemCreate. */
static size_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array,
			  unsigned int level)
{
	bool layered = array->Flags & CUDA_ARRAY3D_LAYERED;

	if (array->Flags &
	    (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
		return 0;
	return at_least_one(array->Width >> level) *
	       at_least_one(array->Height >> level) *
	       at_least_one(array->Depth >> (layered ? 0 : level)) *
	       element_bits(array->Format, array->NumChannels) / 8;
}

static CUresult array_end(const struct foreign_claim *order, CUresult res,
			  const void *out)
{
	return foreign_end_of(order, res, FOREIGN_ARRAYS, FOREIGN_ARRAY, out,
			      order->bytes);
}

EXPORT CUresult cuArrayCreate_v2(CUarray *out,
				 const CUDA_ARRAY_DESCRIPTOR *array)
{
	NOTES_BEHIND(SITE_SIZELESS);
	CUDA_ARRAY3D_DESCRIPTOR flat = {0};
	struct foreign_claim order;

	if (array)
		flat = (CUDA_ARRAY3D_DESCRIPTOR){.Width = array->Width,
						 .Height = array->Height,
						 .Format = array->Format,
						 .NumChannels =
							 array->NumChannels};
	if (!foreign_begin(&order, CURRENT, out, level_bytes(&flat, 0)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return array_end(&order, ROOM_CALL(cuArrayCreate_v2, out, array), out);
}

EXPORT CUresult cuArray3DCreate_v2(CUarray *out,
				   const CUDA_ARRAY3D_DESCRIPTOR *array)
{
	NOTES_BEHIND(SITE_SIZELESS);
	struct foreign_claim order;

	if (!foreign_begin(&order, CURRENT, out,
			   array ? level_bytes(array, 0) : 0))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return array_end(&order, ROOM_CALL(cuArray3DCreate_v2, out, array),
			 out);
}

EXPORT CUresult cuMipmappedArrayCreate(CUmipmappedArray *out,
				       const CUDA_ARRAY3D_DESCRIPTOR *array,
				       unsigned int levels)
{
	NOTES_BEHIND(SITE_SIZELESS);
	struct foreign_claim order;
	size_t bytes = 0;

	for (unsigned int i = 0; array && i < levels && i < 64; i++)
		bytes += level_bytes(array, i);
	if (!foreign_begin(&order, CURRENT, out, bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return array_end(&order,
			 ROOM_CALL(cuMipmappedArrayCreate, out, array, levels),
			 out);
}

EXPORT CUresult cuArrayDestroy(CUarray array)
{
	NOTES_BEHIND(0);
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_ARRAY, (uint64_t)array);
	CUresult res = REAL_CALL(cuArrayDestroy, array);

	foreign_end_finish(foreign, (int)res);
	return res;
}

EXPORT CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	NOTES_BEHIND(0);
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_ARRAY, (uint64_t)array);
	CUresult res = REAL_CALL(cuMipmappedArrayDestroy, array);

	foreign_end_finish(foreign, (int)res);
	return res;
}
