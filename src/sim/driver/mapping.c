#include "mapping.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "access.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "owner.h"
#include "physical.h"
#include "range.h"
#include "window.h"
#include "world.h"

bool mapping_allows(const struct block *block, bool write)
{
	const struct mapping *mapping = (const struct mapping *)block;

	if (block->kind != BLOCK_MAPPED)
		return true;
	return write ? mapping->writers : mapping->readers;
}

static bool is_free(CUdeviceptr addr, size_t size)
{
	const struct range *range = range_find(addr);
	const struct block *next = outside_after(addr);

	return range && size <= range->addr + range->size - addr &&
	       (!next || next->addr >= addr + size);
}

CUresult sim_cuMemMap(CUdeviceptr addr, size_t size, size_t offset,
		      CUmemGenericAllocationHandle handle,
		      unsigned long long flags)
{
	struct physical *physical;
	struct mapping *mapping;
	CUresult res = physical_find(handle, &physical);

	if (res)
		return res;
	if (!size || addr % GRANULE || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (offset || size != physical->size)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!is_free(addr, size))
		return CUDA_ERROR_INVALID_VALUE;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return CUDA_ERROR_OUT_OF_MEMORY;
	mapping->physical = physical;
	mapping->block = (struct block){.addr = addr,
					.size = size,
					.span = size,
					.id = ++world.block_ids,
					.dev = physical->dev,
					.kind = BLOCK_MAPPED};
	if (!outside_add(&mapping->block)) {
		free(mapping);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!physical_map(physical, addr, size)) {
		outside_remove(&mapping->block);
		free(mapping);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	clock_spend(world.profile.map_ns);
	physical->maps++;
	mapping->next = physical->mappings;
	physical->mappings = mapping;
	owner_give(addr, size);
	return CUDA_SUCCESS;
}

/* The mapping that starts at addr and does not go beyond end, or NULL. */
static struct mapping *mapping_at(CUdeviceptr addr, CUdeviceptr end)
{
	struct block *block = outside_find(addr);

	if (!block || block->kind != BLOCK_MAPPED || block->addr != addr ||
	    block->size > end - addr)
		return NULL;
	return (struct mapping *)block;
}

/* The first mapping from *addr on that begins before end, or NULL. Moves *addr
 * behind it. */
static struct mapping *mapping_next(CUdeviceptr *addr, CUdeviceptr end)
{
	struct block *block = outside_after(*addr);

	if (!block || block->addr >= end)
		return NULL;
	*addr = block->addr + block->size;
	return (struct mapping *)block;
}

/* Whether the range lies in reserved addresses and cuts no mapping. There may
 * be addresses in it where nothing is mapped. */
static bool is_whole(CUdeviceptr addr, size_t size)
{
	const struct range *range = range_find(addr);
	CUdeviceptr end = addr + size;

	if (!size || !range || size > range->addr + range->size - addr)
		return false;
	while (addr < end) {
		const struct block *block = outside_after(addr);

		if (!block || block->addr >= end)
			return true;
		if (!mapping_at(block->addr, end) || block->addr < addr)
			return false;
		addr = block->addr + block->size;
	}
	return true;
}

static void mapping_unlink(struct mapping *mapping)
{
	struct mapping **at = &mapping->physical->mappings;

	while (*at != mapping)
		at = &(*at)->next;
	*at = mapping->next;
}

static void mapping_close(struct mapping *mapping)
{
	struct physical *physical = mapping->physical;
	struct block *block = &mapping->block;

	clock_spend(world.profile.unmap_ns);
	owner_take(block->addr);
	(void)mmap((void *)block->addr, block->size, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		   0);
	mapping_unlink(mapping);
	physical->used |= block->touched;
	physical->maps--;
	physical_drop(physical);
	outside_remove(block);
	free(mapping);
}

/* Waits for nothing: work that comes late ends the program, and the checker
 * reports programs that do not wait. */
CUresult sim_cuMemUnmap(CUdeviceptr addr, size_t size)
{
	CUdeviceptr end = addr + size, at = addr;
	struct mapping *mapping;

	if (!is_whole(addr, size))
		return CUDA_ERROR_INVALID_VALUE;
	while ((mapping = mapping_next(&at, end)))
		owner_ask(mapping->block.addr);
	access_unwaited(addr, end, NULL,
			"unmapped, earlier work not waited for");
	while ((mapping = mapping_next(&addr, end)))
		mapping_close(mapping);
	return CUDA_SUCCESS;
}

static CUresult access_check(const CUmemAccessDesc *desc)
{
	struct device *dev;

	if (desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
	    desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
	    desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		return CUDA_ERROR_INVALID_VALUE;
	if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	return device_find(desc->location.id, &dev);
}

static bool access_set(struct mapping *mapping, const CUmemAccessDesc *desc)
{
	uint64_t bit = (uint64_t)1 << desc->location.id;
	int prot = PROT_NONE;

	mapping->readers &= ~bit;
	mapping->writers &= ~bit;
	if (desc->flags & CU_MEM_ACCESS_FLAGS_PROT_READ)
		mapping->readers |= bit;
	if (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		mapping->writers |= bit;
	if (mapping->readers)
		prot |= PROT_READ;
	if (mapping->writers)
		prot |= PROT_WRITE;
	return !mprotect((void *)mapping->block.addr, mapping->block.size,
			 prot);
}

/* Whether something is mapped at both ends of a range that cuts no mapping. */
static bool is_spanned(CUdeviceptr addr, size_t size)
{
	return is_whole(addr, size) && outside_find(addr) &&
	       outside_find(addr + size - 1);
}

CUresult sim_cuMemSetAccess(CUdeviceptr addr, size_t size,
			    const CUmemAccessDesc *desc, size_t count)
{
	CUdeviceptr end = addr + size, at;
	struct mapping *mapping;

	if (!desc || !count || !is_spanned(addr, size))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		CUresult res = access_check(&desc[i]);

		if (res)
			return res;
	}
	/* Up to the first hole, as on an H200. */
	for (at = addr; (mapping = mapping_next(&addr, end)); at = addr) {
		if (mapping->block.addr != at)
			break;
		clock_spend(world.profile.access_ns);
		for (size_t i = 0; i < count; i++)
			if (!access_set(mapping, &desc[i]))
				return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

static struct mapping *mapping_find(CUdeviceptr addr)
{
	struct block *block = outside_find(addr);

	return block && block->kind == BLOCK_MAPPED ? (struct mapping *)block
						    : NULL;
}

CUresult sim_cuMemGetAccess(unsigned long long *flags,
			    const CUmemLocation *location, CUdeviceptr addr)
{
	const struct mapping *mapping = mapping_find(addr);
	struct device *dev;
	uint64_t bit;
	CUresult res;

	if (!flags || !location || !mapping ||
	    location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	res = device_find(location->id, &dev);
	if (res)
		return res;
	bit = (uint64_t)1 << location->id;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	if (mapping->writers & bit)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	else if (mapping->readers & bit)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out,
					 void *addr)
{
	struct mapping *mapping = mapping_find((CUdeviceptr)addr);

	if (!out || !mapping)
		return CUDA_ERROR_INVALID_VALUE;
	mapping->physical->handles++;
	*out = (CUmemGenericAllocationHandle)mapping->physical;
	return CUDA_SUCCESS;
}
