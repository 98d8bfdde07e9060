/* Copies of arrays by an offset in bytes: a part of one row. And boxes between
 * contexts. */
#include "context.h"
#include "entries.h"

/* One side of such a copy. */
struct side {
	CUmemorytype type;
	CUarray array;
	size_t at; /* bytes, in the array's row */
	CUdeviceptr addr;
};

static struct side array_side(CUarray array, size_t at)
{
	return (struct side){
		.type = CU_MEMORYTYPE_ARRAY, .array = array, .at = at};
}

static struct side host_side(const void *ptr)
{
	return (struct side){.type = CU_MEMORYTYPE_HOST,
			     .addr = (CUdeviceptr)ptr};
}

static struct side device_side(CUdeviceptr addr)
{
	return (struct side){.type = CU_MEMORYTYPE_DEVICE, .addr = addr};
}

/* The type of a side says which of its fields are read. */
static CUDA_MEMCPY2D row_of(struct side dst, struct side src, size_t bytes)
{
	return (CUDA_MEMCPY2D){.srcMemoryType = src.type,
			       .srcArray = src.array,
			       .srcXInBytes = src.at,
			       .srcHost = (const void *)src.addr,
			       .srcDevice = src.addr,
			       .dstMemoryType = dst.type,
			       .dstArray = dst.array,
			       .dstXInBytes = dst.at,
			       .dstHost = (void *)dst.addr,
			       .dstDevice = dst.addr,
			       .WidthInBytes = bytes,
			       .Height = 1};
}

static CUresult copy_now(struct side dst, struct side src, size_t bytes)
{
	CUDA_MEMCPY2D row = row_of(dst, src, bytes);

	return sim_cuMemcpy2D_v2(&row);
}

static CUresult copy_later(struct side dst, struct side src, size_t bytes,
			   CUstream where)
{
	CUDA_MEMCPY2D row = row_of(dst, src, bytes);

	return sim_cuMemcpy2DAsync_v2(&row, where);
}

CUresult sim_cuMemcpyHtoA_v2(CUarray dst, size_t dst_at, const void *src,
			     size_t bytes)
{
	return copy_now(array_side(dst, dst_at), host_side(src), bytes);
}

CUresult sim_cuMemcpyAtoH_v2(void *dst, CUarray src, size_t src_at,
			     size_t bytes)
{
	return copy_now(host_side(dst), array_side(src, src_at), bytes);
}

CUresult sim_cuMemcpyDtoA_v2(CUarray dst, size_t dst_at, CUdeviceptr src,
			     size_t bytes)
{
	return copy_now(array_side(dst, dst_at), device_side(src), bytes);
}

CUresult sim_cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t src_at,
			     size_t bytes)
{
	return copy_now(device_side(dst), array_side(src, src_at), bytes);
}

CUresult sim_cuMemcpyAtoA_v2(CUarray dst, size_t dst_at, CUarray src,
			     size_t src_at, size_t bytes)
{
	return copy_now(array_side(dst, dst_at), array_side(src, src_at),
			bytes);
}

CUresult sim_cuMemcpyHtoAAsync_v2(CUarray dst, size_t dst_at, const void *src,
				  size_t bytes, CUstream where)
{
	return copy_later(array_side(dst, dst_at), host_side(src), bytes,
			  where);
}

CUresult sim_cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t src_at,
				  size_t bytes, CUstream where)
{
	return copy_later(host_side(dst), array_side(src, src_at), bytes,
			  where);
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
