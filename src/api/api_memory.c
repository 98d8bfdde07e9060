/* Memory for a program that asks mnm itself. Each request and each free takes
 * the way of the driver's entry point. */
#include "api.h"
#include "hooks/room_of.h"
#include "memory.h"
#include "record/site.h"

/* Frees the first of them again, the last one first. */
static void free_all(size_t count, CUdeviceptr *ptrs)
{
	while (count--) {
		cuMemFree_v2(ptrs[count]);
		ptrs[count] = 0;
	}
}

CUresult mnm_alloc_batch(size_t count, const size_t *sizes, CUdeviceptr *ptrs)
{
	NOTES_CALLER(SITE_SIZELESS);
	CUresult result;

	if (!api_serves(&result))
		return result;
	if (count && (!sizes || !ptrs))
		return api_no_pointer(sizes ? "ptrs" : "sizes");
	for (size_t i = 0; i < count; i++) {
		result = cuMemAlloc_v2(&ptrs[i], sizes[i]);
		if (!result)
			continue;
		free_all(i, ptrs);
		return api_fail(result,
				"buffer %zu of %zu, of %zu bytes: CUDA error "
				"%d; none is allocated",
				i, count, sizes[i], (int)result);
	}
	return CUDA_SUCCESS;
}

CUresult mnm_free_batch(size_t count, const CUdeviceptr *ptrs)
{
	NOTES_CALLER(0);
	CUresult first = CUDA_SUCCESS, result;

	if (!api_serves(&result))
		return result;
	if (count && !ptrs)
		return api_no_pointer("ptrs");
	for (size_t i = 0; i < count; i++) {
		result = cuMemFree_v2(ptrs[i]);
		if (result && !first)
			first = api_fail(result,
					 "buffer %zu of %zu: CUDA error %d", i,
					 count, (int)result);
	}
	return first;
}

static bool is_captured(CUstream stream)
{
	struct room room = {0};

	room_stream(&room, stream, false);
	return room.captured;
}

CUresult memory_alloc_in(CUdeviceptr *ptr, size_t size, CUstream stream)
{
	CUresult result;

	if (is_captured(stream))
		return cuMemAlloc_v2(ptr, size);
	result = cuMemAllocAsync(ptr, size, stream);
	/* A device without pools of CUDA's has its memory as before. */
	return result == CUDA_ERROR_NOT_SUPPORTED ? cuMemAlloc_v2(ptr, size)
						  : result;
}

CUresult memory_free_in(CUdeviceptr ptr, CUstream stream)
{
	CUresult result;

	if (is_captured(stream))
		return cuMemFree_v2(ptr);
	result = cuMemFreeAsync(ptr, stream);
	return result == CUDA_ERROR_NOT_SUPPORTED ? cuMemFree_v2(ptr) : result;
}

CUresult mnm_alloc_in(CUdeviceptr *ptr, size_t size, CUstream stream)
{
	NOTES_CALLER(size);
	CUdeviceptr found;
	CUresult result;

	if (!api_serves(&result))
		return result;
	if (!ptr)
		return api_no_pointer("ptr");
	result = memory_alloc_in(&found, size, stream);
	if (result)
		return api_fail(result, "%zu bytes: CUDA error %d", size,
				(int)result);
	*ptr = found;
	return CUDA_SUCCESS;
}

CUresult mnm_free_in(CUdeviceptr ptr, CUstream stream)
{
	NOTES_CALLER(0);
	CUresult result;

	if (!api_serves(&result))
		return result;
	result = memory_free_in(ptr, stream);
	return result ? api_fail(result, "%#llx: CUDA error %d",
				 (unsigned long long)ptr, (int)result)
		      : CUDA_SUCCESS;
}
