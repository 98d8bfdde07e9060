/* Memory that leaves the process, or its device: no order of ours reaches what
 * others do with it. */
#include "call.h"
#include "hook.h"
#include "mem/mem.h"

/* An address in the middle gets the handle of the whole allocation. */
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

/* CUDA asks for memory of cuMemCreate or cuMemAllocAsync, which no block is. */
EXPORT CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
				    size_t offset, CUdeviceptr ptr, size_t size,
				    unsigned long long flags)
{
	return ipc_hook_exported(ROOM_CALL(cuMulticastBindAddr, handle, offset,
					   ptr, size, flags),
				 ptr);
}
