/* Memory that is handed out of the process, or of its device: nothing of ours
 * orders what others do with it. */
#include "call.h"
#include "hook.h"
#include "mem/mem.h"

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

EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
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
