#include "work.h"

static int kind_check(enum cudaMemcpyKind kind)
{
	return (unsigned)kind > cudaMemcpyDefault
		       ? cudaErrorInvalidMemcpyDirection
		       : 0;
}

static int copy(void *dst, const void *src, size_t count,
		enum cudaMemcpyKind kind)
{
	CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;

	switch (kind) {
	case cudaMemcpyHostToDevice:
		return work_driver.MemcpyHtoD(to, src, count);
	case cudaMemcpyDeviceToHost:
		return work_driver.MemcpyDtoH(dst, from, count);
	case cudaMemcpyDeviceToDevice:
		return work_driver.MemcpyDtoD(to, from, count);
	default: /* host to host, or as the addresses say */
		return work_driver.Memcpy(to, from, count);
	}
}

static int copy_async(void *dst, const void *src, size_t count,
		      enum cudaMemcpyKind kind, CUstream stream)
{
	CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;

	switch (kind) {
	case cudaMemcpyHostToDevice:
		return work_driver.MemcpyHtoDAsync(to, src, count, stream);
	case cudaMemcpyDeviceToHost:
		return work_driver.MemcpyDtoHAsync(dst, from, count, stream);
	case cudaMemcpyDeviceToDevice:
		return work_driver.MemcpyDtoDAsync(to, from, count, stream);
	default:
		return work_driver.MemcpyAsync(to, from, count, stream);
	}
}

EXPORT cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
			      enum cudaMemcpyKind kind)
{
	int res = runtime_enter();

	if (!res)
		res = kind_check(kind);
	if (!res && count)
		res = copy(dst, src, count, kind);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
				   enum cudaMemcpyKind kind,
				   cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = kind_check(kind);
	if (!res && count)
		res = copy_async(dst, src, count, kind, stream);
	return runtime_result(res);
}
