#include "grow.h"

#include <pthread.h>

#include <cuda.h>

#include "acquire.h"
#include "common/log.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "cuda/tool.h"
#include "garbage.h"
#include "grow_pages.h"
#include "managed.h"
#include "placed.h"
#include "pools.h"
#include "preload/thread.h"
#include "region.h"
#include "stats/counter.h"
#include "tcache/tcache.h"

/* Under the context's lock. Gives the pool a region of memory that the driver
 * has given. Returns false without memory, or if the context has ended. */
static bool region_added(struct heap *heap, struct pool *pool, uint64_t addr,
			 const struct mnm_lack *lack, enum mnm_backing backing,
			 void *tool)
{
	struct heap_region *region;
	struct mnm_place place = {.addr = addr, .bytes = lack->fresh};

	region = heap->context->dead
			 ? NULL
			 : region_new(pool, addr, lack->fresh, backing, NULL);
	if (!region)
		return false;
	region->region.kind = lack->kind;
	region->tool = tool;
	place.region = &region->region;
	if (placed_add(pool, &place))
		return true;
	region_unknown(region);
	region_free(region);
	return false;
}

/* A region that is one allocation of the driver's: managed memory, or that of
 * the heap. */
static int grow_whole(struct heap *heap, struct pool *pool,
		      const struct mnm_lack *lack, enum mnm_backing backing,
		      bool pressed)
{
	struct context *context = heap->context;
	uint64_t addr;
	void *tool;
	bool added;
	int res;

	res = backing == MNM_BACKING_MANAGED
		      ? managed_alloc(heap, lack->fresh, pressed, &addr)
		      : heap_alloc(heap, lack->fresh, pressed, &addr);
	if (res)
		return res;
	pools_correct_over(addr, lack->fresh);
	tool = tool_heap_begin(addr, lack->fresh);
	pthread_mutex_lock(&context->lock);
	added = region_added(heap, pool, addr, lack, backing, tool);
	pthread_mutex_unlock(&context->lock);
	if (added)
		return CUDA_SUCCESS;
	tool_heap_end(tool);
	if (!context->dead)
		heap_free(heap, addr);
	device_unreserve(heap->device, lack->fresh);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* A tool is told of each block, so no block may be handed out without us. */
static void tool_find(void)
{
	tool_look();
	if (tool_listens())
		tcaches_recompute(NULL);
}

static int grow_by_allocation(struct heap *heap, struct pool *pool, size_t span,
			      enum mnm_growth rule, enum mnm_backing backing,
			      bool pressed)
{
	struct mnm_lack lack;
	bool retired;

	pthread_mutex_lock(&heap->context->lock);
	retired = pool->retired;
	pool->view.ops->lacks(&pool->view, span, NULL, rule, &lack);
	pthread_mutex_unlock(&heap->context->lock);
	/* A pool that was swapped out serves nobody. */
	return retired ? CUDA_SUCCESS
		       : grow_whole(heap, pool, &lack, backing, pressed);
}

static int grow_managed(struct heap *heap, struct pool *pool, size_t span,
			enum mnm_growth rule, bool pressed)
{
	return managed_serves(heap)
		       ? grow_by_allocation(heap, pool, span, rule,
					    MNM_BACKING_MANAGED, pressed)
		       : GROW_OTHERWISE;
}

/* What a pool grows by, other than the heap's own memory. */
static int grow_backed(struct heap *heap, struct pool *pool, size_t span,
		       enum mnm_growth rule, bool pressed, bool apart)
{
	if (pool->view.backing == MNM_BACKING_MANAGED)
		return grow_managed(heap, pool, span, rule, pressed);
	if (pool->view.backing != MNM_BACKING_VIRTUAL)
		return GROW_OTHERWISE;
	return pool->view.ops->grows
		       ? grow_pages(heap, pool, span, rule, pressed, apart)
		       : grow_segment(heap, pool, span, rule, pressed);
}

/* Says once for each device that it lacks what regions are to be made of. */
static void lack_tell(const struct heap *heap, enum mnm_backing backing)
{
	static _Atomic uint64_t told; /* a bit for each device */
	int ordinal = device_ordinal(heap->device);
	uint64_t bit = (uint64_t)1 << ordinal;
	const char *kind = NULL;

	if (backing == MNM_BACKING_MANAGED &&
	    !backing_is_managed_by_page(ordinal))
		kind = "managed memory that moves by pages";
	if (backing == MNM_BACKING_VIRTUAL && !backing_has_pages(ordinal))
		kind = "virtual memory";
	if (kind && !(atomic_fetch_or(&told, bit) & bit))
		log_info("device %d has no %s: cuMemAlloc serves", ordinal,
			 kind);
}

/* Whether the driver's other call may do: it has not refused for want of
 * memory, which that call would want as well. */
static bool fails_otherwise(int res)
{
	return res && res != TAKE_LIMITED && res != GROW_OTHERWISE &&
	       res != CUDA_ERROR_OUT_OF_MEMORY && !backing_is_lost(res);
}

/* What heap_alloc gives. */
static enum mnm_backing backing_of(const struct heap *heap)
{
	return device_is_host(heap->device) ? MNM_BACKING_HOST
					    : MNM_BACKING_DEVICE;
}

int heap_grow(struct heap *heap, struct pool *pool, size_t span,
	      enum mnm_growth rule, bool pressed, bool apart)
{
	static struct once once = ONCE_INIT;
	int res;

	once_run(&once, tool_find);
	if (!pressed)
		garbage_collect(pool);
	res = grow_backed(heap, pool, span, rule, pressed, apart);
	if (res == GROW_OTHERWISE && !device_is_host(heap->device))
		lack_tell(heap, pool->view.backing);
	if (fails_otherwise(res)) {
		log_info("%s memory is refused with error %d: cuMemAlloc "
			 "serves",
			 pool->view.backing == MNM_BACKING_MANAGED ? "managed"
								   : "virtual",
			 res);
		res = GROW_OTHERWISE;
	}
	return res == GROW_OTHERWISE
		       ? grow_by_allocation(heap, pool, span, rule,
					    backing_of(heap), pressed)
		       : res;
}
