#include "range.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "arena.h"
#include "entries.h"
#include "window.h"

enum { HOST_PAGE = 4096 };

static struct range *ranges;

const struct range *range_find(CUdeviceptr addr)
{
	const struct range *range = ranges;

	while (range && addr - range->addr >= range->size)
		range = range->next;
	return range;
}

CUresult sim_cuMemAddressReserve(CUdeviceptr *out, size_t size,
				 size_t alignment, CUdeviceptr hint,
				 unsigned long long flags)
{
	struct range *range;
	void *pages;
	size_t length;

	if (!alignment)
		alignment = GRANULE;
	if (!out || !size || size % HOST_PAGE || hint % HOST_PAGE || flags ||
	    alignment & (alignment - 1))
		return CUDA_ERROR_INVALID_VALUE;
	if (alignment < GRANULE)
		alignment = GRANULE;
	if (__builtin_add_overflow(size, alignment, &length))
		return CUDA_ERROR_OUT_OF_MEMORY;
	range = malloc(sizeof(*range));
	if (!range)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pages = mmap((void *)hint, length, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED) {
		free(range);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*range = (struct range){.next = ranges,
				.size = size,
				.pages = (CUdeviceptr)pages,
				.length = length};
	range->addr = (range->pages + alignment - 1) & ~(alignment - 1);
	ranges = range;
	*out = range->addr;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAddressFree(CUdeviceptr addr, size_t size)
{
	const struct block *mapped = outside_after(addr);
	struct range **at = &ranges;
	struct range *range;

	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	range = *at;
	if (!range || range->size != size ||
	    (mapped && mapped->addr < addr + size))
		return CUDA_ERROR_INVALID_VALUE;
	*at = range->next;
	munmap((void *)range->pages, range->length);
	free(range);
	return CUDA_SUCCESS;
}
