/* Physical memory and its mappings, and memory that comes from other processes
 * or APIs. */
#include "call.h"
#include "common/option.h"
#include "control/control.h"
#include "cuda/backing.h"
#include "hook.h"
#include "mem/mem.h"
#include "foreign_call.h"

static void note_import(enum foreign_key key, uint64_t handle, int ordinal,
			size_t bytes)
{
	if (foreign_add_import(key, handle, ordinal, bytes))
		control_open_once();
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
			    const CUmemAllocationProp *prop,
			    unsigned long long flags)
{
	bool counts =
		prop && prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
	struct foreign_claim order = {0};
	CUresult res;

	if (counts && !foreign_begin(&order, prop->location.id, out, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = ROOM_CALL(cuMemCreate, out, size, prop, flags);
	return foreign_end_of(&order, res, FOREIGN_VIRTUAL, FOREIGN_PHYSICAL,
			      out, size);
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct foreign *foreign = foreign_grab(handle);
	CUresult res = REAL_CALL(cuMemRelease, handle);

	foreign_drop(foreign, res ? 1 : 2);
	return res;
}

EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out,
					    void *addr)
{
	CUresult res = REAL_CALL(cuMemRetainAllocationHandle, out, addr);

	if (!res)
		foreign_grab(*out);
	return res;
}

EXPORT CUresult cuMemMap(CUdeviceptr addr, size_t size, size_t offset,
			 CUmemGenericAllocationHandle handle,
			 unsigned long long flags)
{
	CUresult res = ROOM_CALL(cuMemMap, addr, size, offset, handle, flags);

	if (!res)
		foreign_map(handle, addr);
	return res;
}

EXPORT CUresult cuMemUnmap(CUdeviceptr addr, size_t size)
{
	struct mapping *list = foreign_unmap_begin(addr, size);
	CUresult res = REAL_CALL(cuMemUnmap, addr, size);

	foreign_unmap_finish(list, (int)res);
	return res;
}

EXPORT CUresult cuImportExternalMemory(
	CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *external)
{
	CUresult res = ROOM_CALL(cuImportExternalMemory, out, external);

	if (!res)
		note_import(FOREIGN_EXTERNAL, (uint64_t)*out, CURRENT,
			    external->size);
	return res;
}

EXPORT CUresult cuDestroyExternalMemory(CUexternalMemory external)
{
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_EXTERNAL, (uint64_t)external);
	CUresult res = REAL_CALL(cuDestroyExternalMemory, external);

	foreign_end_finish(foreign, (int)res);
	return res;
}

/* Whose memory was opened: a pool's may be of any device, or of the host. */
static int opened_on(CUdeviceptr addr)
{
	CUmemorytype type;

	if (!REAL_CALL(cuPointerGetAttribute, &type,
		       CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr) &&
	    type == CU_MEMORYTYPE_HOST)
		return DEVICE_HOST;
	return backing_device_of(addr);
}

/* Memory of another process. The handle doesn't tell its size, so CUDA is
 * asked. */
static CUresult virtual_hook_opened(CUresult res, const CUdeviceptr *out)
{
	size_t size;

	if (!res && mem_enabled() &&
	    !REAL_CALL(cuMemGetAddressRange_v2, NULL, &size, *out))
		note_import(FOREIGN_ADDRESS, *out, opened_on(*out), size);
	return res;
}

EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle,
				   unsigned int flags)
{
	return virtual_hook_opened(
		ROOM_CALL(cuIpcOpenMemHandle, out, handle, flags), out);
}

EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle,
				      unsigned int flags)
{
	return virtual_hook_opened(
		ROOM_CALL(cuIpcOpenMemHandle_v2, out, handle, flags), out);
}

/* It ends by the calls that free memory. */
EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool pool,
				       CUmemPoolPtrExportData *data)
{
	return virtual_hook_opened(
		ROOM_CALL(cuMemPoolImportPointer, out, pool, data), out);
}

EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr addr)
{
	struct foreign *foreign = foreign_end_begin(FOREIGN_ADDRESS, addr);
	CUresult res = REAL_CALL(cuIpcCloseMemHandle, addr);

	foreign_end_finish(foreign, (int)res);
	return res;
}
