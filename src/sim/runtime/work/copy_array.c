#include <stdbool.h>

#include "../array.h"
#include "work.h"

/* Where a copy starts in an array: bytes and rows. */
struct place {
	cudaArray_const_t array;
	size_t x, y;
};

static void side_source(CUDA_MEMCPY2D *rect, struct place place)
{
	rect->srcMemoryType = CU_MEMORYTYPE_ARRAY;
	rect->srcArray = (CUarray)place.array;
	rect->srcXInBytes = place.x;
	rect->srcY = place.y;
}

static void side_target(CUDA_MEMCPY2D *rect, struct place place)
{
	rect->dstMemoryType = CU_MEMORYTYPE_ARRAY;
	rect->dstArray = (CUarray)place.array;
	rect->dstXInBytes = place.x;
	rect->dstY = place.y;
}

static int direction(enum cudaMemcpyKind kind, enum cudaMemcpyKind host,
		     CUmemorytype *type)
{
	*type = CU_MEMORYTYPE_DEVICE;
	if (kind == cudaMemcpyDefault)
		*type = CU_MEMORYTYPE_UNIFIED;
	else if (kind == host)
		*type = CU_MEMORYTYPE_HOST;
	else if (kind != cudaMemcpyDeviceToDevice)
		return cudaErrorInvalidMemcpyDirection;
	return 0;
}

static int rect_copy(const CUDA_MEMCPY2D *rect, bool async, CUstream stream)
{
	if (!rect->WidthInBytes || !rect->Height)
		return 0;
	return async ? work_driver.Memcpy2DAsync(rect, stream)
		     : work_driver.Memcpy2DUnaligned(rect);
}

static int to_array(struct place dst, const void *src, size_t pitch,
		    size_t width, size_t height, enum cudaMemcpyKind kind,
		    bool async, CUstream stream)
{
	CUDA_MEMCPY2D rect = {.srcHost = src,
			      .srcDevice = (CUdeviceptr)src,
			      .srcPitch = pitch,
			      .WidthInBytes = width,
			      .Height = height};
	int res = runtime_enter();

	if (!res)
		res = direction(kind, cudaMemcpyHostToDevice,
				&rect.srcMemoryType);
	if (!res && width > pitch)
		res = cudaErrorInvalidPitchValue;
	side_target(&rect, dst);
	return res ? res : rect_copy(&rect, async, stream);
}

static int from_array(void *dst, size_t pitch, struct place src, size_t width,
		      size_t height, enum cudaMemcpyKind kind, bool async,
		      CUstream stream)
{
	CUDA_MEMCPY2D rect = {.dstHost = dst,
			      .dstDevice = (CUdeviceptr)dst,
			      .dstPitch = pitch,
			      .WidthInBytes = width,
			      .Height = height};
	int res = runtime_enter();

	if (!res)
		res = direction(kind, cudaMemcpyDeviceToHost,
				&rect.dstMemoryType);
	if (!res && width > pitch)
		res = cudaErrorInvalidPitchValue;
	side_source(&rect, src);
	return res ? res : rect_copy(&rect, async, stream);
}

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y,
				       const void *src, size_t pitch,
				       size_t width, size_t height,
				       enum cudaMemcpyKind kind)
{
	struct place to = {dst, x, y};

	return runtime_result(
		to_array(to, src, pitch, width, height, kind, false, NULL));
}

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y,
					    const void *src, size_t pitch,
					    size_t width, size_t height,
					    enum cudaMemcpyKind kind,
					    cudaStream_t stream)
{
	struct place to = {dst, x, y};

	return runtime_result(
		to_array(to, src, pitch, width, height, kind, true, stream));
}

EXPORT cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch,
					 cudaArray_const_t src, size_t x,
					 size_t y, size_t width, size_t height,
					 enum cudaMemcpyKind kind)
{
	struct place from = {src, x, y};

	return runtime_result(
		from_array(dst, pitch, from, width, height, kind, false, NULL));
}

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch,
					      cudaArray_const_t src, size_t x,
					      size_t y, size_t width,
					      size_t height,
					      enum cudaMemcpyKind kind,
					      cudaStream_t stream)
{
	struct place from = {src, x, y};

	return runtime_result(from_array(dst, pitch, from, width, height, kind,
					 true, stream));
}

EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x,
					    size_t dst_y, cudaArray_const_t src,
					    size_t src_x, size_t src_y,
					    size_t width, size_t height,
					    enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D rect = {.WidthInBytes = width, .Height = height};
	int res = runtime_enter();

	if (!res && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		res = cudaErrorInvalidMemcpyDirection;
	side_target(&rect, (struct place){dst, dst_x, dst_y});
	side_source(&rect, (struct place){src, src_x, src_y});
	return runtime_result(res ? res : rect_copy(&rect, false, NULL));
}
