/* Copies of arrays by an offset in bytes: a part of one row. And boxes between
 * contexts. */
#include "context.h"
#include "entries.h"

CUresult sim_cuMemcpyHtoA_v2(CUarray dst, size_t dst_at, const void *src,
			     size_t bytes)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			     .srcHost = src,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			     .dstArray = dst,
			     .dstXInBytes = dst_at,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2D_v2(&row);
}

CUresult sim_cuMemcpyAtoH_v2(void *dst, CUarray src, size_t src_at,
			     size_t bytes)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = src,
			     .srcXInBytes = src_at,
			     .dstMemoryType = CU_MEMORYTYPE_HOST,
			     .dstHost = dst,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2D_v2(&row);
}

CUresult sim_cuMemcpyDtoA_v2(CUarray dst, size_t dst_at, CUdeviceptr src,
			     size_t bytes)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			     .srcDevice = src,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			     .dstArray = dst,
			     .dstXInBytes = dst_at,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2D_v2(&row);
}

CUresult sim_cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t src_at,
			     size_t bytes)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = src,
			     .srcXInBytes = src_at,
			     .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			     .dstDevice = dst,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2D_v2(&row);
}

CUresult sim_cuMemcpyAtoA_v2(CUarray dst, size_t dst_at, CUarray src,
			     size_t src_at, size_t bytes)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = src,
			     .srcXInBytes = src_at,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			     .dstArray = dst,
			     .dstXInBytes = dst_at,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2D_v2(&row);
}

CUresult sim_cuMemcpyHtoAAsync_v2(CUarray dst, size_t dst_at, const void *src,
				  size_t bytes, CUstream where)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			     .srcHost = src,
			     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			     .dstArray = dst,
			     .dstXInBytes = dst_at,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2DAsync_v2(&row, where);
}

CUresult sim_cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t src_at,
				  size_t bytes, CUstream where)
{
	CUDA_MEMCPY2D row = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			     .srcArray = src,
			     .srcXInBytes = src_at,
			     .dstMemoryType = CU_MEMORYTYPE_HOST,
			     .dstHost = dst,
			     .WidthInBytes = bytes,
			     .Height = 1};

	return sim_cuMemcpy2DAsync_v2(&row, where);
}

/* An array and host memory have no context of their own. */
static CUresult peer_check(CUmemorytype type, CUcontext handle)
{
	struct context *ctx;

	return type == CU_MEMORYTYPE_DEVICE ? context_find(handle, &ctx)
					    : CUDA_SUCCESS;
}

static CUresult box_of(const CUDA_MEMCPY3D_PEER *copy, CUDA_MEMCPY3D *box)
{
	CUresult res;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	res = peer_check(copy->srcMemoryType, copy->srcContext);
	if (!res)
		res = peer_check(copy->dstMemoryType, copy->dstContext);
	*box = (CUDA_MEMCPY3D){.srcXInBytes = copy->srcXInBytes,
			       .srcY = copy->srcY,
			       .srcZ = copy->srcZ,
			       .srcLOD = copy->srcLOD,
			       .srcMemoryType = copy->srcMemoryType,
			       .srcHost = copy->srcHost,
			       .srcDevice = copy->srcDevice,
			       .srcArray = copy->srcArray,
			       .srcPitch = copy->srcPitch,
			       .srcHeight = copy->srcHeight,
			       .dstXInBytes = copy->dstXInBytes,
			       .dstY = copy->dstY,
			       .dstZ = copy->dstZ,
			       .dstLOD = copy->dstLOD,
			       .dstMemoryType = copy->dstMemoryType,
			       .dstHost = copy->dstHost,
			       .dstDevice = copy->dstDevice,
			       .dstArray = copy->dstArray,
			       .dstPitch = copy->dstPitch,
			       .dstHeight = copy->dstHeight,
			       .WidthInBytes = copy->WidthInBytes,
			       .Height = copy->Height,
			       .Depth = copy->Depth};
	return res;
}

CUresult sim_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	CUDA_MEMCPY3D box;
	CUresult res = box_of(copy, &box);

	return res ? res : sim_cuMemcpy3D_v2(&box);
}

CUresult sim_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream where)
{
	CUDA_MEMCPY3D box;
	CUresult res = box_of(copy, &box);

	return res ? res : sim_cuMemcpy3DAsync_v2(&box, where);
}
