#include "backing.h"
#include "common/option.h"
#include "context_scope.h"
#include "real.h"
#include "record/ring.h"

static CUmemAllocationProp page_prop(int ordinal)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
	};

	prop.location.id = ordinal;
	return prop;
}

static bool has_entries(const struct real_driver *real)
{
	return real->cuDeviceGetAttribute && real->cuMemAddressReserve &&
	       real->cuMemAddressFree && real->cuMemCreate &&
	       real->cuMemRelease && real->cuMemMap && real->cuMemUnmap &&
	       real->cuMemSetAccess && real->cuMemGetAllocationGranularity;
}

static bool device_says(int ordinal, CUdevice_attribute attribute)
{
	int value = 0;

	return !real_driver()->cuDeviceGetAttribute(&value, attribute,
						    ordinal) &&
	       value;
}

bool backing_has_pages(int ordinal)
{
	const struct real_driver *real = real_driver();
	const CUmemAllocationProp prop = page_prop(ordinal);
	size_t least;

	return has_entries(real) &&
	       device_says(
		       ordinal,
		       CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
	       !real->cuMemGetAllocationGranularity(
		       &least, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) &&
	       least && PAGE_BYTES % least == 0;
}

int backing_addresses(size_t bytes, uint64_t *addr)
{
	unsigned int mode = backing_relax();
	CUdeviceptr ptr;
	CUresult res = real_driver()->cuMemAddressReserve(&ptr, bytes,
							  PAGE_BYTES, 0, 0);

	backing_unrelax(mode);
	if (!res)
		*addr = ptr;
	return (int)res;
}

int backing_addresses_free(uint64_t addr, size_t bytes)
{
	unsigned int mode = backing_relax();
	CUresult res = real_driver()->cuMemAddressFree(addr, bytes);

	backing_unrelax(mode);
	return (int)res;
}

/* Memory that other devices of the bus can reach is what CUDA's own calls
 * give. */
int backing_page(int ordinal, uint64_t *page)
{
	unsigned int mode = backing_relax();
	CUmemAllocationProp prop = page_prop(ordinal);
	CUmemGenericAllocationHandle handle;
	CUresult res;

	if (device_says(
		    ordinal,
		    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED))
		prop.allocFlags.gpuDirectRDMACapable = 1;
	record_did_add(MNM_RECORD_DRIVER);
	res = real_driver()->cuMemCreate(&handle, PAGE_BYTES, &prop, 0);
	backing_unrelax(mode);
	if (!res)
		*page = handle;
	return (int)res;
}

int backing_page_release(uint64_t page)
{
	unsigned int mode = backing_relax();
	CUresult res = real_driver()->cuMemRelease(page);

	record_did_add(MNM_RECORD_DRIVER);
	backing_unrelax(mode);
	return (int)res;
}

int backing_page_map(uint64_t addr, uint64_t page)
{
	unsigned int mode = backing_relax();
	CUresult res = real_driver()->cuMemMap(addr, PAGE_BYTES, 0, page, 0);

	backing_unrelax(mode);
	return (int)res;
}

int backing_pages_allow(uint64_t addr, size_t bytes, uint64_t devices)
{
	CUmemAccessDesc list[DEVICE_MAX] = {0};
	unsigned int mode = backing_relax();
	size_t count = 0;
	CUresult res;

	for (int i = 0; i < DEVICE_MAX; i++) {
		if (!(devices & (uint64_t)1 << i))
			continue;
		list[count].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
		list[count].location.id = i;
		list[count++].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	}
	res = real_driver()->cuMemSetAccess(addr, bytes, list, count);
	backing_unrelax(mode);
	return (int)res;
}

int backing_pages_unmap(uint64_t addr, size_t bytes)
{
	unsigned int mode = backing_relax();
	CUresult res = real_driver()->cuMemUnmap(addr, bytes);

	backing_unrelax(mode);
	return (int)res;
}
