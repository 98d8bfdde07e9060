/* Copies of rectangles and boxes. */
#include "array.h"
#include "copy.h"
#include "entries.h"

/* One side of a CUDA_MEMCPY3D. */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z; /* bytes, rows, slices */
	size_t pitch, height;
};

struct box {
	char *base;
	size_t pitch, slice;
};

static CUresult array_resolve(const struct side *side, size_t width,
			      size_t height, size_t depth, struct box *box)
{
	struct array *array;
	CUresult res = array_find(side->array, &array);
	size_t rows, slices;

	if (res)
		return res;
	rows = array_rows(array);
	slices = array_slices(array);
	if (side->x > array->row || width > array->row - side->x ||
	    side->y > rows || height > rows - side->y || side->z > slices ||
	    depth > slices - side->z)
		return CUDA_ERROR_INVALID_VALUE;
	box->pitch = array->row;
	box->slice = array->row * rows;
	box->base = array_base(array) + side->z * box->slice +
		    side->y * box->pitch + side->x;
	return CUDA_SUCCESS;
}

static CUresult side_resolve(const struct side *side, size_t width,
			     size_t height, size_t depth, struct box *box)
{
	size_t pitch = side->pitch ? side->pitch : side->x + width;
	size_t rows = side->height ? side->height : side->y + height;

	if (side->type == CU_MEMORYTYPE_ARRAY)
		return array_resolve(side, width, height, depth, box);
	if ((height > 1 || depth > 1) && pitch < side->x + width)
		return CUDA_ERROR_INVALID_VALUE;
	if (depth > 1 && rows < side->y + height)
		return CUDA_ERROR_INVALID_VALUE;
	switch (side->type) {
	case CU_MEMORYTYPE_HOST:
		box->base = (char *)side->host;
		break;
	case CU_MEMORYTYPE_DEVICE:
		if (!copy_is_visible(side->device))
			return CUDA_ERROR_INVALID_VALUE;
		box->base = (char *)side->device;
		break;
	case CU_MEMORYTYPE_UNIFIED:
		box->base = (char *)side->device;
		break;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	if (!box->base)
		return CUDA_ERROR_INVALID_VALUE;
	box->pitch = pitch;
	box->slice = pitch * rows;
	box->base += side->z * box->slice + side->y * pitch + side->x;
	return CUDA_SUCCESS;
}

static CUresult copy_box(const struct side *to, const struct side *from,
			 size_t width, size_t height, size_t depth,
			 struct copy *copy)
{
	struct box dst, src;
	CUresult res;

	res = side_resolve(to, width, height, depth, &dst);
	if (!res)
		res = side_resolve(from, width, height, depth, &src);
	if (res)
		return res;
	*copy = (struct copy){.dst = dst.base,
			      .src = src.base,
			      .width = width,
			      .height = height,
			      .depth = depth,
			      .dst_pitch = dst.pitch,
			      .dst_slice = dst.slice,
			      .src_pitch = src.pitch,
			      .src_slice = src.slice};
	return CUDA_SUCCESS;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream where, bool async)
{
	struct side dst, src;
	struct copy copy;
	CUresult res;

	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	dst = (struct side){.type = c->dstMemoryType,
			    .host = c->dstHost,
			    .device = c->dstDevice,
			    .array = c->dstArray,
			    .x = c->dstXInBytes,
			    .y = c->dstY,
			    .pitch = c->dstPitch};
	src = (struct side){.type = c->srcMemoryType,
			    .host = c->srcHost,
			    .device = c->srcDevice,
			    .array = c->srcArray,
			    .x = c->srcXInBytes,
			    .y = c->srcY,
			    .pitch = c->srcPitch};
	res = copy_box(&dst, &src, c->WidthInBytes, c->Height, 1, &copy);
	return res ? res : copy_submit(copy, where, async);
}

CUresult copy_from_3d(const CUDA_MEMCPY3D *c, struct copy *copy)
{
	struct side dst, src;

	if (!c || c->srcLOD || c->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	dst = (struct side){.type = c->dstMemoryType,
			    .host = c->dstHost,
			    .device = c->dstDevice,
			    .array = c->dstArray,
			    .x = c->dstXInBytes,
			    .y = c->dstY,
			    .z = c->dstZ,
			    .pitch = c->dstPitch,
			    .height = c->dstHeight};
	src = (struct side){.type = c->srcMemoryType,
			    .host = c->srcHost,
			    .device = c->srcDevice,
			    .array = c->srcArray,
			    .x = c->srcXInBytes,
			    .y = c->srcY,
			    .z = c->srcZ,
			    .pitch = c->srcPitch,
			    .height = c->srcHeight};
	return copy_box(&dst, &src, c->WidthInBytes, c->Height, c->Depth, copy);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream where, bool async)
{
	struct copy copy;
	CUresult res = copy_from_3d(c, &copy);

	return res ? res : copy_submit(copy, where, async);
}

CUresult sim_cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(copy, NULL, false);
}

CUresult sim_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(copy, NULL, false);
}

CUresult sim_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream where)
{
	return copy_2d(copy, where, true);
}

CUresult sim_cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	return copy_3d(copy, NULL, false);
}

CUresult sim_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream where)
{
	return copy_3d(copy, where, true);
}
