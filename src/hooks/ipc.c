/* Memory that is handed out of the process, or of its device: nothing of ours
 * orders what others do with it. */
#include "block/block.h"
#include "call.h"
#include "hook.h"
#include "mem/mem.h"
#include "stats/mempool_stats.h"

static char not_device_memory;

/* Whether the address is in a live block that was asked for in the order of a
 * stream. */
static bool pointer_is_ordered(CUdeviceptr ptr)
{
	CUdeviceptr base;
	uint64_t word = 0;
	size_t size;

	if (!mem_enabled() || !mempools_are_used() ||
	    REAL_CALL(cuMemGetAddressRange_v2, &base, &size, ptr))
		return false;
	block_find(base, &word);
	return word & BLOCK_ORDERED && word_is_live(word);
}

/* For an address in the middle, CUDA gives the handle of the whole
 * allocation. */
static CUresult ipc_hook_exported(CUresult res, CUdeviceptr ptr)
{
	CUdeviceptr base;
	size_t size;

	if (!res && mem_enabled() &&
	    !REAL_CALL(cuMemGetAddressRange_v2, &base, &size, ptr))
		mem_exported(base);
	return res;
}

/* CUDA has no such handle for the memory of its pools. */
EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
	if (pointer_is_ordered(ptr))
		ptr = (CUdeviceptr)&not_device_memory;
	return ipc_hook_exported(REAL_CALL(cuIpcGetMemHandle, handle, ptr),
				 ptr);
}

EXPORT CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr ptr,
					      size_t size,
					      CUmemRangeHandleType type,
					      unsigned long long flags)
{
	return ipc_hook_exported(REAL_CALL(cuMemGetHandleForAddressRange,
					   handle, ptr, size, type, flags),
				 ptr);
}

/* CUDA only accepts memory of cuMemCreate or cuMemAllocAsync here, and no block
 * is such memory. */
EXPORT CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
				    size_t offset, CUdeviceptr ptr, size_t size,
				    unsigned long long flags)
{
	return ipc_hook_exported(ROOM_CALL(cuMulticastBindAddr, handle, offset,
					   ptr, size, flags),
				 ptr);
}
