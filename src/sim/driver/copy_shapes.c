/* Copies of rectangles and boxes. Arrays are not supported. */
#include "copy.h"
#include "entries.h"

/* One side of a CUDA_MEMCPY3D. */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	size_t x, y, z; /* bytes, rows, slices */
	size_t pitch, height;
};

struct box {
	char *base;
	size_t pitch, slice;
};

static CUresult side_resolve(const struct side *side, size_t width,
			     size_t height, size_t depth, struct box *box)
{
	size_t pitch = side->pitch ? side->pitch : side->x + width;
	size_t rows = side->height ? side->height : side->y + height;

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
			    .x = c->dstXInBytes,
			    .y = c->dstY,
			    .pitch = c->dstPitch};
	src = (struct side){.type = c->srcMemoryType,
			    .host = c->srcHost,
			    .device = c->srcDevice,
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
			    .x = c->dstXInBytes,
			    .y = c->dstY,
			    .z = c->dstZ,
			    .pitch = c->dstPitch,
			    .height = c->dstHeight};
	src = (struct side){.type = c->srcMemoryType,
			    .host = c->srcHost,
			    .device = c->srcDevice,
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
