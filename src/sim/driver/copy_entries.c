#include "context.h"
#include "copy.h"
#include "entries.h"

/* Checks a side that, by the call's name, is on the device. */
static CUresult device_side(CUdeviceptr addr)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	return copy_is_visible(addr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult to_device(CUdeviceptr dst, const void *src, size_t bytes,
			  CUstream where, bool async)
{
	CUresult res = bytes ? device_side(dst) : CUDA_SUCCESS;

	if (res)
		return res;
	return copy_submit(copy_flat(dst, (CUdeviceptr)src, bytes), where,
			   async);
}

static CUresult to_host(void *dst, CUdeviceptr src, size_t bytes,
			CUstream where, bool async)
{
	CUresult res = bytes ? device_side(src) : CUDA_SUCCESS;

	if (res)
		return res;
	return copy_submit(copy_flat((CUdeviceptr)dst, src, bytes), where,
			   async);
}

static CUresult on_device(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
			  CUstream where, bool async)
{
	CUresult res = bytes ? device_side(dst) : CUDA_SUCCESS;

	if (!res && bytes)
		res = device_side(src);
	if (res)
		return res;
	return copy_submit(copy_flat(dst, src, bytes), where, async);
}

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return to_device(dst, src, bytes, NULL, false);
}

CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src,
				  size_t bytes, CUstream where)
{
	return to_device(dst, src, bytes, where, true);
}

CUresult sim_cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return to_host(dst, src, bytes, NULL, false);
}

CUresult sim_cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes,
				  CUstream where)
{
	return to_host(dst, src, bytes, where, true);
}

CUresult sim_cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return on_device(dst, src, bytes, NULL, false);
}

CUresult sim_cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src,
				  size_t bytes, CUstream where)
{
	return on_device(dst, src, bytes, where, true);
}

CUresult sim_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return copy_submit(copy_flat(dst, src, bytes), NULL, false);
}

CUresult sim_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
			   CUstream where)
{
	return copy_submit(copy_flat(dst, src, bytes), where, true);
}

static CUresult peers_check(CUcontext dst, CUcontext src)
{
	struct context *ctx;
	CUresult res = context_find(dst, &ctx);

	return res ? res : context_find(src, &ctx);
}

CUresult sim_cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
			  CUcontext src_ctx, size_t bytes)
{
	CUresult res = peers_check(dst_ctx, src_ctx);

	return res ? res : on_device(dst, src, bytes, NULL, false);
}

CUresult sim_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_ctx,
			       CUdeviceptr src, CUcontext src_ctx, size_t bytes,
			       CUstream where)
{
	CUresult res = peers_check(dst_ctx, src_ctx);

	return res ? res : on_device(dst, src, bytes, where, true);
}
