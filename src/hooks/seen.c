/* Calls that yield memory which no pool serves. */
#include "call.h"
#include "control.h"
#include "hook.h"
#include "seen.h"
#include "work.h"

static void note(enum seen_kind kind, enum seen_key key, uint64_t handle,
		 size_t bytes)
{
	if (seen_add(kind, key, handle, bytes))
		control_open_once();
}

static CUresult seen_at(CUresult res, enum seen_kind kind,
			const CUdeviceptr *out, size_t size)
{
	if (!res && out)
		note(kind, SEEN_ADDRESS, *out, size);
	return res;
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size,
				  unsigned int flags)
{
	return seen_at(REAL_CALL(cuMemAllocManaged, out, size, flags),
		       SEEN_MANAGED, out, size);
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
	work_queued(stream, false);
	return seen_at(REAL_CALL(cuMemAllocAsync, out, size, stream),
		       SEEN_ASYNC, out, size);
}

EXPORT CUresult cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size,
				     CUstream stream)
{
	work_queued(stream, true);
	return seen_at(REAL_CALL(cuMemAllocAsync_ptsz, out, size, stream),
		       SEEN_ASYNC, out, size);
}

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
					CUmemoryPool pool, CUstream stream)
{
	work_queued(stream, false);
	return seen_at(
		REAL_CALL(cuMemAllocFromPoolAsync, out, size, pool, stream),
		SEEN_ASYNC, out, size);
}

EXPORT CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size,
					     CUmemoryPool pool, CUstream stream)
{
	work_queued(stream, true);
	return seen_at(REAL_CALL(cuMemAllocFromPoolAsync_ptsz, out, size, pool,
				 stream),
		       SEEN_ASYNC, out, size);
}

/* Bytes of an element's channel; 0: packed in blocks, or unknown. */
static size_t format_bytes(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static size_t at_least_one(size_t extent)
{
	return extent ? extent : 1;
}

/* Of a level of a mipmap, or of a whole array at level 0. */
static size_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array,
			  unsigned int level)
{
	bool layered = array->Flags & CUDA_ARRAY3D_LAYERED;

	return at_least_one(array->Width >> level) *
	       at_least_one(array->Height >> level) *
	       at_least_one(array->Depth >> (layered ? 0 : level)) *
	       array->NumChannels * format_bytes(array->Format);
}

EXPORT CUresult cuArrayCreate_v2(CUarray *out,
				 const CUDA_ARRAY_DESCRIPTOR *array)
{
	CUresult res = REAL_CALL(cuArrayCreate_v2, out, array);

	if (!res)
		note(SEEN_ARRAYS, SEEN_ARRAY, (uint64_t)*out,
		     array->Width * at_least_one(array->Height) *
			     array->NumChannels * format_bytes(array->Format));
	return res;
}

EXPORT CUresult cuArray3DCreate_v2(CUarray *out,
				   const CUDA_ARRAY3D_DESCRIPTOR *array)
{
	CUresult res = REAL_CALL(cuArray3DCreate_v2, out, array);

	if (!res)
		note(SEEN_ARRAYS, SEEN_ARRAY, (uint64_t)*out,
		     level_bytes(array, 0));
	return res;
}

EXPORT CUresult cuMipmappedArrayCreate(CUmipmappedArray *out,
				       const CUDA_ARRAY3D_DESCRIPTOR *array,
				       unsigned int levels)
{
	CUresult res = REAL_CALL(cuMipmappedArrayCreate, out, array, levels);
	size_t bytes = 0;

	if (res)
		return res;
	for (unsigned int level = 0; level < levels && level < 64; level++)
		bytes += level_bytes(array, level);
	note(SEEN_ARRAYS, SEEN_ARRAY, (uint64_t)*out, bytes);
	return res;
}

EXPORT CUresult cuArrayDestroy(CUarray array)
{
	struct seen *seen = seen_take(SEEN_ARRAY, (uint64_t)array);
	CUresult res = REAL_CALL(cuArrayDestroy, array);

	seen_settle(seen, (int)res);
	return res;
}

EXPORT CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	struct seen *seen = seen_take(SEEN_ARRAY, (uint64_t)array);
	CUresult res = REAL_CALL(cuMipmappedArrayDestroy, array);

	seen_settle(seen, (int)res);
	return res;
}
