#include "physical.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "entries.h"
#include "share.h"
#include "world.h"

enum { PHYSICAL_MAGIC = 0x70687973 };

static struct physical *all, *spare;

static uint64_t launches_total(void)
{
	uint64_t total = 0;

	for (int i = 0; i < world.device_count; i++)
		total += world.devices[i].launches;
	return total;
}

CUresult physical_find(CUmemGenericAllocationHandle handle,
		       struct physical **out)
{
	struct physical *physical = (struct physical *)handle;

	if (!physical || physical->magic != PHYSICAL_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = physical;
	return CUDA_SUCCESS;
}

static struct physical *physical_new(struct device *dev, size_t size)
{
	struct physical *physical = spare;

	if (physical)
		spare = physical->next;
	else
		physical = malloc(sizeof(*physical));
	if (!physical)
		return NULL;
	*physical = (struct physical){.magic = PHYSICAL_MAGIC,
				      .next = all,
				      .dev = dev,
				      .size = size,
				      .handles = 1,
				      .file = -1,
				      .launches = launches_total()};
	if (all)
		all->prev = physical;
	all = physical;
	return physical;
}

static void physical_spare(struct physical *physical)
{
	if (physical->prev)
		physical->prev->next = physical->next;
	else
		all = physical->next;
	if (physical->next)
		physical->next->prev = physical->prev;
	physical->magic = 0;
	physical->next = spare;
	spare = physical;
}

void physical_drop(struct physical *physical)
{
	bool used = physical->used || physical->launches != launches_total();

	if (physical->handles || physical->maps)
		return;
	if (physical->file >= 0)
		close(physical->file);
	if (!physical->imported)
		arena_give(&physical->dev->arena, physical->granule,
			   physical->size, used && physical->file < 0);
	physical_spare(physical);
}

/* Memory without a file of its own is a part of its device's file. It gets a
 * second address by a remapping of the first. */
bool physical_map(const struct physical *physical, CUdeviceptr addr,
		  size_t size)
{
	const struct arena *arena = &physical->dev->arena;
	void *at = (void *)addr;
	void *pages;

	if (physical->file >= 0)
		pages = mmap(at, size, PROT_NONE,
			     MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
			     physical->file, 0);
	else
		pages = mremap(arena->base + physical->granule * GRANULE, 0,
			       size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
	return pages == at && !mprotect(at, size, PROT_NONE);
}

static CUresult prop_device(const CUmemAllocationProp *prop,
			    struct device **dev)
{
	const unsigned known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    prop->requestedHandleTypes & ~known)
		return CUDA_ERROR_NOT_SUPPORTED;
	return device_find(prop->location.id, dev);
}

CUresult sim_cuMemGetAllocationGranularity(
	size_t *out, const CUmemAllocationProp *prop,
	CUmemAllocationGranularity_flags option)
{
	struct device *dev;
	CUresult res = prop_device(prop, &dev);

	if (res)
		return res;
	if (!out || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
		     option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
		return CUDA_ERROR_INVALID_VALUE;
	*out = GRANULE;
	return CUDA_SUCCESS;
}

static CUresult physical_create(struct device *dev, size_t size,
				const CUmemAllocationProp *prop,
				struct physical **out)
{
	struct physical *physical = physical_new(dev, size);
	CUresult res;

	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	physical->prop = *prop;
	res = arena_open(&dev->arena);
	if (!res)
		res = arena_take(&dev->arena, size, &physical->granule);
	if (res) {
		physical_spare(physical);
		return res;
	}
	if (prop->requestedHandleTypes) {
		physical->file = share_make(dev->ordinal, size);
		res = physical->file < 0 ? CUDA_ERROR_OUT_OF_MEMORY : res;
	} else if (dev->arena.fd < 0) {
		res = CUDA_ERROR_NOT_SUPPORTED;
	}
	if (res) {
		physical->handles = 0;
		physical_drop(physical);
		return res;
	}
	*out = physical;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
			 const CUmemAllocationProp *prop,
			 unsigned long long flags)
{
	struct physical *physical;
	struct device *dev;
	CUresult res = prop_device(prop, &dev);

	if (res)
		return res;
	if (!out || !size || size % GRANULE || flags)
		return CUDA_ERROR_INVALID_VALUE;
	clock_spend(world.profile.create_ns);
	res = physical_create(dev, size, prop, &physical);
	if (res)
		return res;
	clock_spend(clock_per_mib(size, world.profile.create_ns_per_mib));
	*out = (CUmemGenericAllocationHandle)physical;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct physical *physical;
	CUresult res = physical_find(handle, &physical);

	if (res)
		return res;
	if (!physical->handles)
		return CUDA_ERROR_INVALID_VALUE;
	physical->handles--;
	clock_spend(world.profile.release_ns);
	clock_spend(clock_per_mib(physical->size,
				  world.profile.release_ns_per_mib));
	physical_drop(physical);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAllocationPropertiesFromHandle(
	CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	struct physical *physical;
	CUresult res = physical_find(handle, &physical);

	if (res)
		return res;
	if (!prop)
		return CUDA_ERROR_INVALID_VALUE;
	*prop = physical->prop;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemExportToShareableHandle(void *out,
					  CUmemGenericAllocationHandle handle,
					  CUmemAllocationHandleType type,
					  unsigned long long flags)
{
	struct physical *physical;
	CUresult res = physical_find(handle, &physical);
	int file;

	if (res)
		return res;
	if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
	    physical->file < 0)
		return CUDA_ERROR_INVALID_VALUE;
	file = share_copy(physical->file);
	if (file < 0)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*(int *)out = file;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out,
					    void *handle,
					    CUmemAllocationHandleType type)
{
	struct physical *physical;
	struct device *dev;
	size_t size;
	CUresult res;
	int ordinal;

	if (!out || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
	    !share_read((int)(intptr_t)handle, &ordinal, &size))
		return CUDA_ERROR_INVALID_VALUE;
	res = device_find(ordinal, &dev);
	if (res)
		return res;
	physical = physical_new(dev, size);
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	physical->imported = true;
	physical->prop = (CUmemAllocationProp){
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = type,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
			     .id = ordinal}};
	physical->file = share_copy((int)(intptr_t)handle);
	if (physical->file < 0) {
		physical_spare(physical);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*out = (CUmemGenericAllocationHandle)physical;
	return CUDA_SUCCESS;
}
