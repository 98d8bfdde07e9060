#include "runtime.h"

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceCanAccessPeer(can, device, peer);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	CUcontext ctx = NULL;
	int res = runtime_enter();

	if (!res)
		res = primary_open(peer, &ctx);
	if (!res)
		res = driver_legacy.CtxEnablePeerAccess(ctx, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	CUcontext ctx = NULL;
	int res = runtime_enter();

	if (!res)
		res = primary_open(peer, &ctx);
	if (!res)
		res = driver_legacy.CtxDisablePeerAccess(ctx);
	return runtime_result(res);
}

/* Both devices' contexts, which the driver's copies name. */
static int peers_open(int dst_device, CUcontext *dst, int src_device,
		      CUcontext *src)
{
	int res = runtime_enter();

	if (!res)
		res = primary_open(dst_device, dst);
	if (!res)
		res = primary_open(src_device, src);
	return res;
}

EXPORT cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src,
				  int src_device, size_t count)
{
	CUcontext dst_ctx = NULL, src_ctx = NULL;
	int res = peers_open(dst_device, &dst_ctx, src_device, &src_ctx);

	if (!res && count)
		res = driver_legacy.MemcpyPeer((CUdeviceptr)dst, dst_ctx,
					       (CUdeviceptr)src, src_ctx,
					       count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device,
				       const void *src, int src_device,
				       size_t count, cudaStream_t stream)
{
	CUcontext dst_ctx = NULL, src_ctx = NULL;
	int res = peers_open(dst_device, &dst_ctx, src_device, &src_ctx);

	if (!res && count)
		res = driver_legacy.MemcpyPeerAsync((CUdeviceptr)dst, dst_ctx,
						    (CUdeviceptr)src, src_ctx,
						    count, stream);
	return runtime_result(res);
}
