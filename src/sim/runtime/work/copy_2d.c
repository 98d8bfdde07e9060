#include "work.h"

/* One side of a copy: its memory type follows from the copy's kind. */
static CUmemorytype side_type(enum cudaMemcpyKind kind,
			      enum cudaMemcpyKind host_kind)
{
	if (kind == cudaMemcpyDefault)
		return CU_MEMORYTYPE_UNIFIED;
	if (kind == cudaMemcpyHostToHost || kind == host_kind)
		return CU_MEMORYTYPE_HOST;
	return CU_MEMORYTYPE_DEVICE;
}

/* Host and device fields both carry the address: the type says which one
 * the driver reads. */
static CUDA_MEMCPY2D rectangle(void *dst, size_t dst_pitch, const void *src,
			       size_t src_pitch, size_t width, size_t height,
			       enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D rect = {
		.srcMemoryType = side_type(kind, cudaMemcpyHostToDevice),
		.srcHost = src,
		.srcDevice = (CUdeviceptr)src,
		.srcPitch = src_pitch,
		.dstMemoryType = side_type(kind, cudaMemcpyDeviceToHost),
		.dstHost = dst,
		.dstDevice = (CUdeviceptr)dst,
		.dstPitch = dst_pitch,
		.WidthInBytes = width,
		.Height = height,
	};

	return rect;
}

static int rectangle_check(size_t dst_pitch, size_t src_pitch, size_t width,
			   enum cudaMemcpyKind kind)
{
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (width > dst_pitch || width > src_pitch)
		return cudaErrorInvalidPitchValue;
	return 0;
}

EXPORT cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src,
				size_t src_pitch, size_t width, size_t height,
				enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D rect =
		rectangle(dst, dst_pitch, src, src_pitch, width, height, kind);
	int res = runtime_enter();

	if (!res)
		res = rectangle_check(dst_pitch, src_pitch, width, kind);
	if (!res && width && height)
		res = work_driver.Memcpy2DUnaligned(&rect);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch,
				     const void *src, size_t src_pitch,
				     size_t width, size_t height,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream)
{
	CUDA_MEMCPY2D rect =
		rectangle(dst, dst_pitch, src, src_pitch, width, height, kind);
	int res = runtime_enter();

	if (!res)
		res = rectangle_check(dst_pitch, src_pitch, width, kind);
	if (!res && width && height)
		res = work_driver.Memcpy2DAsync(&rect, stream);
	return runtime_result(res);
}
