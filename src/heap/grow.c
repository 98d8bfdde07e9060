#include "grow.h"

#include <pthread.h>

#include <cuda.h>

#include "acquire.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "cuda/tool.h"
#include "grow_pages.h"
#include "placed.h"
#include "pools.h"
#include "preload/thread.h"
#include "region.h"
#include "stats/counter.h"
#include "tcache/tcache.h"

/* Under the context's lock. Gives the pool a region of memory that the driver
 * has given. Returns false without memory, or if the context has ended. */
static bool region_added(struct heap *heap, struct pool *pool, uint64_t addr,
			 const struct lack *lack, void *tool)
{
	struct heap_region *region;
	struct place place = {.addr = addr, .bytes = lack->fresh};

	region = heap->context->dead
			 ? NULL
			 : region_new(pool, addr, lack->fresh, NULL);
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

/* A region that is one allocation of the driver's. */
static int grow_whole(struct heap *heap, struct pool *pool,
		      const struct lack *lack, bool pressed)
{
	struct context *context = heap->context;
	uint64_t addr;
	void *tool;
	bool added;
	int res = heap_alloc(heap, lack->fresh, pressed, &addr);

	if (res)
		return res;
	pools_correct_over(addr, lack->fresh);
	tool = tool_heap_begin(addr, lack->fresh);
	pthread_mutex_lock(&context->lock);
	added = region_added(heap, pool, addr, lack, tool);
	pthread_mutex_unlock(&context->lock);
	if (added)
		return CUDA_SUCCESS;
	tool_heap_end(tool);
	if (!context->dead)
		backing_free(context->handle, addr);
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

int heap_grow(struct heap *heap, struct pool *pool, size_t span,
	      enum growth_rule rule, bool pressed)
{
	static struct once once = ONCE_INIT;
	struct lack lack;
	bool retired;
	int res;

	once_run(&once, tool_find);
	res = pool->ops->is_virtual && !device_is_host(heap->device)
		      ? grow_pages(heap, pool, span, rule, pressed)
		      : GROW_OTHERWISE;
	if (res != GROW_OTHERWISE)
		return res;
	pthread_mutex_lock(&heap->context->lock);
	retired = pool->retired;
	pool->ops->lacks(pool, span, NULL, rule, &lack);
	pthread_mutex_unlock(&heap->context->lock);
	/* A pool that was swapped out serves nobody. */
	return retired ? CUDA_SUCCESS : grow_whole(heap, pool, &lack, pressed);
}
