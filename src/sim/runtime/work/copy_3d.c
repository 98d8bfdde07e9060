#include "../box.h"
#include "work.h"

EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;
	int res = runtime_enter();

	if (!res)
		res = box_of(params, &box);
	if (!res)
		res = work_driver.Memcpy3D(&box);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params,
				     cudaStream_t stream)
{
	CUDA_MEMCPY3D box;
	int res = runtime_enter();

	if (!res)
		res = box_of(params, &box);
	if (!res)
		res = work_driver.Memcpy3DAsync(&box, stream);
	return runtime_result(res);
}

/* As the other copies, but each side names its device. */
static int peers_of(const struct cudaMemcpy3DPeerParms *params,
		    CUDA_MEMCPY3D_PEER *peers)
{
	struct cudaMemcpy3DParms plain;
	CUcontext src = NULL, dst = NULL;
	CUDA_MEMCPY3D box;
	int res = params ? 0 : cudaErrorInvalidValue;

	if (res)
		return res;
	plain = (struct cudaMemcpy3DParms){.srcArray = params->srcArray,
					   .srcPos = params->srcPos,
					   .srcPtr = params->srcPtr,
					   .dstArray = params->dstArray,
					   .dstPos = params->dstPos,
					   .dstPtr = params->dstPtr,
					   .extent = params->extent,
					   .kind = cudaMemcpyDefault};
	res = box_of(&plain, &box);
	if (!res)
		res = primary_open(params->srcDevice, &src);
	if (!res)
		res = primary_open(params->dstDevice, &dst);
	if (res)
		return res;
	*peers = (CUDA_MEMCPY3D_PEER){.srcXInBytes = box.srcXInBytes,
				      .srcY = box.srcY,
				      .srcZ = box.srcZ,
				      .srcMemoryType = box.srcMemoryType,
				      .srcHost = box.srcHost,
				      .srcDevice = box.srcDevice,
				      .srcArray = box.srcArray,
				      .srcContext = src,
				      .srcPitch = box.srcPitch,
				      .srcHeight = box.srcHeight,
				      .dstXInBytes = box.dstXInBytes,
				      .dstY = box.dstY,
				      .dstZ = box.dstZ,
				      .dstMemoryType = box.dstMemoryType,
				      .dstHost = box.dstHost,
				      .dstDevice = box.dstDevice,
				      .dstArray = box.dstArray,
				      .dstContext = dst,
				      .dstPitch = box.dstPitch,
				      .dstHeight = box.dstHeight,
				      .WidthInBytes = box.WidthInBytes,
				      .Height = box.Height,
				      .Depth = box.Depth};
	return 0;
}

EXPORT cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *params)
{
	CUDA_MEMCPY3D_PEER peers;
	int res = runtime_enter();

	if (!res)
		res = peers_of(params, &peers);
	if (!res)
		res = work_driver.Memcpy3DPeer(&peers);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpy3DPeerAsync(
	const struct cudaMemcpy3DPeerParms *params, cudaStream_t stream)
{
	CUDA_MEMCPY3D_PEER peers;
	int res = runtime_enter();

	if (!res)
		res = peers_of(params, &peers);
	if (!res)
		res = work_driver.Memcpy3DPeerAsync(&peers, stream);
	return runtime_result(res);
}
