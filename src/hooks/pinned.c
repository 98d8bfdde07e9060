/* Pinned host memory. The runtime's cudaMallocHost, cudaHostAlloc and
 * cudaFreeHost end here, too. */
#include "call.h"
#include "control/control.h"
#include "hook.h"
#include "mem/foreign.h"
#include "mem/mem.h"
#include "record/site.h"

/* Returns false if the request is not for us. */
static bool pinned_served(void **out, size_t size, unsigned int flags,
			  CUresult *result)
{
	uint64_t addr;
	int res;

	if (!out || !size ||
	    mem_alloc_pinned(&addr, size, flags, &res) != MEM_DONE)
		return false;
	control_open_once();
	*out = res ? NULL : (void *)addr; /* as CUDA does */
	*result = (CUresult)res;
	return true;
}

EXPORT CUresult cuMemHostAlloc(void **out, size_t size, unsigned int flags)
{
	NOTES_BEHIND(size);
	CUresult res;

	return pinned_served(out, size, flags, &res)
		       ? res
		       : ROOM_CALL(cuMemHostAlloc, out, size, flags);
}

EXPORT CUresult cuMemAllocHost_v2(void **out, size_t size)
{
	NOTES_BEHIND(size);
	CUresult res;

	return pinned_served(out, size, 0, &res)
		       ? res
		       : ROOM_CALL(cuMemAllocHost_v2, out, size);
}

/* Its address is never pinned memory: a free of it gets CUDA's own error. */
static char not_pinned_memory;

EXPORT CUresult cuMemFreeHost(void *ptr)
{
	NOTES_BEHIND(0);
	struct block *given;
	CUresult res;

	/* The program knows it as a device's memory. */
	if (foreign_is_borrowed((uint64_t)ptr))
		return REAL_CALL(cuMemFreeHost, &not_pinned_memory);
	switch (mem_free_begin((uint64_t)ptr, MEM_FREE_PINNED, &given)) {
	case MEM_DONE:
		return CUDA_SUCCESS;
	case MEM_INVALID:
	case MEM_UNBOUND:
		return REAL_CALL(cuMemFreeHost, &not_pinned_memory);
	default:
		res = REAL_CALL(cuMemFreeHost, ptr);
		mem_free_end(given, !res);
		return res;
	}
}
