/* Regions of virtual memory that do not grow. A segment has all of its pages
 * from the start, and ends with them (pages->ends), so that it goes back as the
 * pages of a region that grows do. */
#include <pthread.h>

#include <cuda.h>

#include "acquire.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "cuda/tool.h"
#include "grow_pages.h"
#include "pages.h"
#include "placed.h"
#include "pools.h"
#include "region.h"
#include "region_driver.h"
#include "stats/counter.h"

struct segment {
	struct heap *heap;
	struct pool *pool;
	struct pages *pages;
	struct heap_region *region;
	uint64_t devices; /* that may use it, a bit each */
};

static size_t segment_bytes(const struct segment *segment)
{
	return segment->pages->count * PAGE_BYTES;
}

static int segment_map(void *arg)
{
	struct segment *segment = arg;
	const struct stretch all = {.addr = segment->pages->base,
				    .bytes = segment_bytes(segment)};

	segment->devices = devices_allowed(segment->heap->device);
	return pages_map(segment->pages, &all, NULL, 0, segment->devices);
}

/* Notes the region, which the pool does not know yet. Returns false without
 * memory, or if the context has ended. */
static bool segment_known(struct segment *segment, unsigned int kind)
{
	struct context *context = segment->heap->context;
	struct pages *pages = segment->pages;
	struct heap_region *region = NULL;
	size_t bytes = segment_bytes(segment);
	void *tool = tool_heap_begin(pages->base, bytes);

	pages->used = pages->count;
	pages->ends = true;
	pages->eyes = 1; /* ours */
	pthread_mutex_lock(&context->lock);
	if (!context->dead)
		region = region_new(segment->pool, pages->base, bytes,
				    MNM_BACKING_VIRTUAL, pages);
	if (region) {
		region->region.kind = kind;
		region->tool = tool;
	}
	pthread_mutex_unlock(&context->lock);
	if (!region)
		tool_heap_end(tool);
	segment->region = region;
	return region;
}

/* The pool gets the region. Returns false without memory. */
static bool segment_added(const struct segment *segment)
{
	struct mnm_region *region = &segment->region->region;
	struct context *context = segment->heap->context;
	const struct mnm_place place = {
		.region = region, .addr = region->base, .bytes = region->bytes};
	bool added;

	pthread_mutex_lock(&context->lock);
	added = placed_add(segment->pool, &place);
	if (!added)
		segment->pages->used = 0; /* it ends when nobody looks at it */
	pthread_mutex_unlock(&context->lock);
	return added;
}

/* A device that was given access since the pages were mapped has missed these,
 * as the region was not known. No block lies there yet. */
static bool segment_enters(struct segment *segment, unsigned int kind)
{
	struct device *device = segment->heap->device;
	size_t bytes = segment_bytes(segment);
	bool added;

	if (!segment_known(segment, kind)) {
		pages_close(segment->pages);
		return false;
	}
	devices_allow_since(device, segment->pages->base, bytes,
			    segment->devices);
	added = segment_added(segment);
	region_unlook(segment->region);
	if (added)
		counter_add(device, COUNTER_driver_allocs, bytes / PAGE_BYTES);
	return added;
}

/* Nobody ends the context meanwhile. */
static int segment_make(struct segment *segment, const struct mnm_lack *lack,
			bool pressed)
{
	struct device *device = segment->heap->device;
	int res;

	segment->pages = pages_open(device_ordinal(device), lack->fresh);
	if (!segment->pages)
		return GROW_OTHERWISE;
	if (region_context_over(segment->pages->base, lack->fresh)) {
		/* Its end went unseen; and we use a context, maybe that one. */
		pages_close(segment->pages);
		return GROW_OTHERWISE;
	}
	segment->pages->claimed = segment->pages->count;
	res = heap_take(segment->heap, lack->fresh, pressed, segment_map,
			segment);
	if (res) {
		pages_close(segment->pages);
		return res;
	}
	if (segment_enters(segment, lack->kind))
		return CUDA_SUCCESS;
	device_unreserve(device, lack->fresh);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

int grow_segment(struct heap *heap, struct pool *pool, size_t span,
		 enum mnm_growth rule, bool pressed)
{
	struct segment segment = {.heap = heap, .pool = pool};
	struct context *context = heap->context;
	struct mnm_lack lack;
	int res;

	if (!device_can_hold(heap->device, span))
		return GROW_OTHERWISE; /* the driver refuses as much at once */
	pthread_mutex_lock(&context->lock);
	pool->view.ops->lacks(&pool->view, span, NULL, rule, &lack);
	pthread_mutex_unlock(&context->lock);
	if (!context_use(context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	res = segment_make(&segment, &lack, pressed);
	context_unuse(context);
	return res;
}
