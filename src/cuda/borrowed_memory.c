/* Memory of the host that takes the place of a device's. */
#include "backing.h"
#include "real.h"
#include "context_scope.h"

/* cuMemAdvise takes a location from then on, and before that the number of a
 * device. */
enum { CUDA_12_2 = 12020 };

/* What cuda.h says of this attribute: device memory can be oversubscribed where
 * it is not zero, and elsewhere managed memory takes of what the device has. A
 * driver that knows the attribute has the calls below. */
bool backing_is_managed_by_page(int ordinal)
{
	const struct real_driver *real = real_driver();
	int concurrent;

	return real->cuDeviceGetAttribute &&
	       !real->cuDeviceGetAttribute(
		       &concurrent,
		       CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
		       ordinal) &&
	       concurrent;
}

static CUresult advise(CUdeviceptr addr, size_t bytes, CUmem_advise advice,
		       int ordinal)
{
	const struct real_driver *real = real_driver();
	const CUmemLocation location = {
		.type = ordinal == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
						 : CU_MEM_LOCATION_TYPE_DEVICE,
		.id = ordinal == CU_DEVICE_CPU ? 0 : ordinal,
	};

	return backing_is_since(CUDA_12_2)
		       ? real->cuMemAdvise_v2(addr, bytes, advice, location)
		       : real->cuMemAdvise(addr, bytes, advice, ordinal);
}

/* cuda.h: where the device is the preferred place, advice that it will use the
 * memory counts for nothing. */
static CUresult place(CUdeviceptr addr, size_t bytes, int ordinal,
		      bool on_device)
{
	CUresult res = advise(addr, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
			      on_device ? ordinal : CU_DEVICE_CPU);

	if (!res && !on_device)
		res = advise(addr, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY,
			     ordinal);
	return res;
}

int backing_alloc_managed(size_t bytes, int ordinal, bool on_device,
			  uint64_t *addr)
{
	const struct real_driver *real = real_driver();
	unsigned int mode = backing_relax();
	CUdeviceptr ptr;
	CUresult res =
		real->cuMemAllocManaged(&ptr, bytes, CU_MEM_ATTACH_GLOBAL);

	if (!res) {
		res = place(ptr, bytes, ordinal, on_device);
		if (res)
			real->cuMemFree_v2(ptr);
		else
			*addr = ptr;
	}
	backing_unrelax(mode);
	return (int)res;
}

/* Where addresses are not unified, the program could not tell such memory from
 * the host's own. */
static CUresult check_address(void *ptr)
{
	const struct real_driver *real = real_driver();
	CUdeviceptr mapped;
	CUresult res = real->cuMemHostGetDevicePointer_v2(&mapped, ptr, 0);

	if (res || mapped == (CUdeviceptr)ptr)
		return res;
	return CUDA_ERROR_NOT_SUPPORTED;
}

int backing_alloc_mapped(size_t bytes, uint64_t *addr)
{
	const struct real_driver *real = real_driver();
	unsigned int mode = backing_relax();
	void *ptr;
	CUresult res = real->cuMemHostAlloc(&ptr, bytes,
					    CU_MEMHOSTALLOC_PORTABLE |
						    CU_MEMHOSTALLOC_DEVICEMAP);

	if (!res) {
		res = check_address(ptr);
		if (res)
			real->cuMemFreeHost(ptr);
		else
			*addr = (uint64_t)ptr;
	}
	backing_unrelax(mode);
	return (int)res;
}
