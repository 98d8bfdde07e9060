#include "array.h"

#include "runtime.h"

/* The driver's format of a channel; 0 if it has none. */
static unsigned format_of(int bits, enum cudaChannelFormatKind kind)
{
	switch (kind) {
	case cudaChannelFormatKindSigned:
		return bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
		       : bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
		       : bits == 32 ? CU_AD_FORMAT_SIGNED_INT32
				    : 0;
	case cudaChannelFormatKindUnsigned:
		return bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
		       : bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
		       : bits == 32 ? CU_AD_FORMAT_UNSIGNED_INT32
				    : 0;
	case cudaChannelFormatKindFloat:
		return bits == 16   ? CU_AD_FORMAT_HALF
		       : bits == 32 ? CU_AD_FORMAT_FLOAT
				    : 0;
	default:
		return 0;
	}
}

int channel_read(const struct cudaChannelFormatDesc *desc, unsigned *format,
		 unsigned *channels)
{
	*format = format_of(desc->x, desc->f);
	*channels = 1;
	if (desc->y)
		*channels = desc->w ? 4 : desc->z ? 3 : 2;
	return (desc->y && desc->y != desc->x) ||
			       (desc->z && desc->z != desc->x) ||
			       (desc->w && desc->w != desc->x) || !*format
		       ? cudaErrorInvalidChannelDescriptor
		       : 0;
}

static int shape_of(const struct cudaChannelFormatDesc *desc,
		    struct cudaExtent extent, unsigned flags,
		    CUDA_ARRAY3D_DESCRIPTOR *shape)
{
	unsigned format, channels;
	int res = desc ? channel_read(desc, &format, &channels)
		       : cudaErrorInvalidValue;

	if (res)
		return res;
	/* The flags have the same numbers in the driver. */
	*shape = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
					   .Height = extent.height,
					   .Depth = extent.depth,
					   .Format = (CUarray_format)format,
					   .NumChannels = channels,
					   .Flags = flags};
	return 0;
}

struct cudaChannelFormatDesc channel_of(unsigned format, unsigned channels)
{
	static const struct {
		unsigned format;
		int bits;
		enum cudaChannelFormatKind kind;
	} rows[] = {
		{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_UNSIGNED_INT16, 16,
		 cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_UNSIGNED_INT32, 32,
		 cudaChannelFormatKindUnsigned},
		{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
		{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
		{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
	};
	struct cudaChannelFormatDesc desc = {.f = cudaChannelFormatKindNone};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].format != format)
			continue;
		desc.x = rows[i].bits;
		desc.y = channels > 1 ? desc.x : 0;
		desc.z = desc.w = channels > 2 ? desc.x : 0;
		desc.f = rows[i].kind;
	}
	return desc;
}

int array_element(cudaArray_const_t array, size_t *bytes)
{
	CUDA_ARRAY3D_DESCRIPTOR shape;
	int res = driver_legacy.Array3DGetDescriptor(&shape, (CUarray)array);

	if (!res)
		*bytes = channel_of(shape.Format, 1).x / 8 * shape.NumChannels;
	return res;
}

int array_row(cudaArray_const_t array, size_t *bytes)
{
	CUDA_ARRAY3D_DESCRIPTOR shape;
	int res = driver_legacy.Array3DGetDescriptor(&shape, (CUarray)array);

	if (!res)
		res = array_element(array, bytes);
	if (!res)
		*bytes *= shape.Width;
	return res;
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent,
				     unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR shape;
	int res = array ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = shape_of(desc, extent, flags, &shape);
	if (!res)
		res = driver_legacy.Array3DCreate((CUarray *)array, &shape);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *array,
				   const struct cudaChannelFormatDesc *desc,
				   size_t width, size_t height,
				   unsigned int flags)
{
	struct cudaExtent extent = {width, height, 0};

	return cudaMalloc3DArray(array, desc, extent, flags);
}

EXPORT cudaError_t cudaFreeArray(cudaArray_t array)
{
	int res = runtime_enter();

	if (!res && array)
		res = driver_legacy.ArrayDestroy((CUarray)array);
	return runtime_result(res);
}

EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
				    struct cudaExtent *extent,
				    unsigned int *flags, cudaArray_t array)
{
	CUDA_ARRAY3D_DESCRIPTOR shape;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.Array3DGetDescriptor(&shape,
							 (CUarray)array);
	if (res)
		return runtime_result(res);
	if (desc)
		*desc = channel_of(shape.Format, shape.NumChannels);
	if (extent)
		*extent = (struct cudaExtent){shape.Width, shape.Height,
					      shape.Depth};
	if (flags)
		*flags = shape.Flags;
	return cudaSuccess;
}

EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
				      cudaArray_const_t array)
{
	if (!desc)
		return runtime_result(cudaErrorInvalidValue);
	return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(
	int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

EXPORT cudaError_t cudaMallocMipmappedArray(
	cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
	struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR shape;
	int res = array ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = shape_of(desc, extent, flags, &shape);
	if (!res)
		res = driver_legacy.MipmappedArrayCreate(
			(CUmipmappedArray *)array, &shape, levels);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level,
					      cudaMipmappedArray_const_t array,
					      unsigned int number)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MipmappedArrayGetLevel(
			(CUarray *)level, (CUmipmappedArray)array, number);
	return runtime_result(res);
}

EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	int res = runtime_enter();

	if (!res && array)
		res = driver_legacy.MipmappedArrayDestroy(
			(CUmipmappedArray)array);
	return runtime_result(res);
}
