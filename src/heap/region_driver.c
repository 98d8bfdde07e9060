#include "region_driver.h"

#include <pthread.h>

#include <cuda.h>

#include "acquire.h"
#include "block/block.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "cuda/tool.h"
#include "order/calls.h"
#include "order/fence.h"
#include "order/wait.h"
#include "pages.h"
#include "region.h"
#include "stats/counter.h"

/* The region is unknown first, as the driver may hand its addresses out at
 * once. */
static int whole_give(const struct heap *heap, struct heap_region *region)
{
	uint64_t base = region->region.base;
	size_t bytes = region->region.bytes;
	int res;

	pthread_mutex_lock(&heap->context->lock);
	region_unknown(region);
	pthread_mutex_unlock(&heap->context->lock);
	tool_heap_end(region->tool);
	res = heap_free(heap, base);
	if (!res)
		counter_add(heap->device, COUNTER_driver_frees, 1);
	if (backing_is_refused(res)) {
		region->tool = tool_heap_begin(base, bytes);
		region_known(region);
	} else {
		region_free(region);
	}
	return res;
}

/* Whether no work uses what was freed up to that epoch. The driver does not
 * wait when memory is unmapped. There is no work at all if this thread has let
 * the program's calls pause, which may be beside a capture. */
static bool work_is_over(struct device *device, uint64_t epoch)
{
	return epoch < atomic_load(&device->over) || calls_are_paused_here() ||
	       device_wait(device);
}

static void region_end(struct heap_region *region)
{
	tool_heap_end(region->tool);
	pages_close(region->pages);
	region_free(region);
}

void region_unlook(struct heap_region *region)
{
	if (region_look_ended(region))
		region_end(region);
}

static int part_give(const struct heap *heap, struct heap_region *region,
		     const struct block *record)
{
	const struct stretch stretch = {.addr = block_addr(record),
					.bytes = record->span};
	int res;

	if (!record->span) { /* all that is left is the region's addresses */
		region_unlook(region);
		return CUDA_SUCCESS;
	}
	if (!work_is_over(heap->device, record->epoch))
		return CUDA_ERROR_NOT_READY;
	res = pages_give(region->pages, &stretch);
	if (backing_is_refused(res))
		return res;
	counter_add(heap->device, COUNTER_driver_frees,
		    stretch.bytes / PAGE_BYTES);
	if (region_pages_left(region, record->span))
		region_end(region);
	return res;
}

int region_give(const struct heap *heap, const struct block *record)
{
	struct heap_region *region = region_at(block_addr(record));

	if (!region) /* it has gone meanwhile, and its memory with it */
		return CUDA_SUCCESS;
	return region->pages ? part_give(heap, region, record)
			     : whole_give(heap, region);
}

void region_lose(const struct block *record)
{
	struct heap_region *region = region_at(block_addr(record));

	if (!region || region->pages) /* the region itself comes next */
		return;
	region_unknown(region);
	tool_heap_end(region->tool);
	region_free(region);
}

uint64_t devices_allowed(const struct device *device)
{
	return (uint64_t)1 << device_ordinal(device) | device->shown;
}

void devices_allow_since(const struct device *device, uint64_t addr,
			 size_t bytes, uint64_t before)
{
	uint64_t now = devices_allowed(device);

	if (now & ~before)
		backing_pages_allow(addr, bytes, now & ~before);
}

static int heap_allow(const struct heap *heap, uint64_t devices)
{
	struct heap_region *region = region_look(heap, 0);
	int res = CUDA_SUCCESS, last;
	uint64_t base;

	for (; region; region = region_look(heap, base + 1)) {
		base = region->region.base;
		last = device_check(heap->device,
				    pages_allow(region->pages, devices));
		res = last ? last : res;
		region_unlook(region);
	}
	return res;
}

int regions_allow(struct context *owner, int ordinal)
{
	int res;

	/* First: what is mapped from now on is for that device as well. */
	atomic_fetch_or(&owner->device->shown, (uint64_t)1 << ordinal);
	if (!context_use(owner))
		return CUDA_SUCCESS;
	res = heap_allow(&owner->heap, (uint64_t)1 << ordinal);
	context_unuse(owner);
	return res;
}
