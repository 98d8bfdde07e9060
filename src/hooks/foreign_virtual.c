/* Physical memory and its mappings. */
#include "call.h"
#include "heap/pools.h"
#include "heap/region.h"
#include "holder.h"
#include "hook.h"
#include "mem/mem.h"
#include "foreign_call.h"
#include "record/site.h"

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
			    const CUmemAllocationProp *prop,
			    unsigned long long flags)
{
	NOTES_CALLER(size);
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
	NOTES_CALLER(0);
	struct foreign *foreign = foreign_grab(handle);
	CUresult res = REAL_CALL(cuMemRelease, handle);

	foreign_drop(foreign, res ? 1 : 2);
	return res;
}

/* What the program has asked for is no memory of cuMemCreate, even if it lies
 * in virtual memory of ours. UCX takes memory with a handle for the program's
 * own virtual memory, and NCCL passes such handles on. */
EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out,
					    void *addr)
{
	const struct holder holder = holder_of((CUdeviceptr)addr);
	CUresult res = REAL_CALL(cuMemRetainAllocationHandle, out,
				 holder.placed ? &holder_none : addr);

	if (!res)
		foreign_grab(*out);
	return res;
}

EXPORT CUresult cuMemMap(CUdeviceptr addr, size_t size, size_t offset,
			 CUmemGenericAllocationHandle handle,
			 unsigned long long flags)
{
	CUresult res = ROOM_CALL(cuMemMap, addr, size, offset, handle, flags);

	if (res)
		return res;
	pools_correct_over(addr, size);
	foreign_map(handle, addr);
	return CUDA_SUCCESS;
}

/* What the driver is asked to change in place of that memory: nothing that
 * there is, if it is ours. CUDA refuses these calls for memory of cuMemAlloc.
 */
static CUdeviceptr spared(CUdeviceptr addr, size_t size)
{
	bool placed = mem_enabled() && size &&
		      (region_has(addr) || region_has(addr + size - 1));

	return placed ? NO_ALLOCATION : addr;
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr addr, size_t size,
			       const CUmemAccessDesc *list, size_t count)
{
	return ROOM_CALL(cuMemSetAccess, spared(addr, size), size, list, count);
}

EXPORT CUresult cuMemUnmap(CUdeviceptr addr, size_t size)
{
	NOTES_CALLER(0);
	struct mapping *list = foreign_unmap_begin(addr, size);
	CUresult res = REAL_CALL(cuMemUnmap, spared(addr, size), size);

	foreign_unmap_finish(list, (int)res);
	return res;
}
