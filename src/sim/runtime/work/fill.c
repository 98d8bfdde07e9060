#include "work.h"

EXPORT cudaError_t cudaMemset(void *ptr, int value, size_t count)
{
	int res = runtime_enter();

	if (!res && count)
		res = work_driver.MemsetD8((CUdeviceptr)ptr,
					   (unsigned char)value, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemsetAsync(void *ptr, int value, size_t count,
				   cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res && count)
		res = work_driver.MemsetD8Async(
			(CUdeviceptr)ptr, (unsigned char)value, count, stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemset2D(void *ptr, size_t pitch, int value,
				size_t width, size_t height)
{
	int res = runtime_enter();

	if (!res && width && height)
		res = work_driver.MemsetD2D8((CUdeviceptr)ptr, pitch,
					     (unsigned char)value, width,
					     height);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int value,
				     size_t width, size_t height,
				     cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res && width && height)
		res = work_driver.MemsetD2D8Async((CUdeviceptr)ptr, pitch,
						  (unsigned char)value, width,
						  height, stream);
	return runtime_result(res);
}

/* A rectangle for each slice. */
static int box_fill(struct cudaPitchedPtr ptr, int value,
		    struct cudaExtent extent, cudaStream_t stream, int async)
{
	int res = runtime_enter();

	if (!extent.width || !extent.height)
		return res;
	for (size_t z = 0; !res && z < extent.depth; z++) {
		CUdeviceptr slice =
			(CUdeviceptr)ptr.ptr + z * ptr.pitch * ptr.ysize;

		res = async ? work_driver.MemsetD2D8Async(
				      slice, ptr.pitch, (unsigned char)value,
				      extent.width, extent.height, stream)
			    : work_driver.MemsetD2D8(
				      slice, ptr.pitch, (unsigned char)value,
				      extent.width, extent.height);
	}
	return res;
}

EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr ptr, int value,
				struct cudaExtent extent)
{
	return runtime_result(box_fill(ptr, value, extent, NULL, 0));
}

EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr ptr, int value,
				     struct cudaExtent extent,
				     cudaStream_t stream)
{
	return runtime_result(box_fill(ptr, value, extent, stream, 1));
}
