#include "grow_pages.h"

#include <pthread.h>
#include <stdlib.h>

#include <cuda.h>

#include "acquire.h"
#include "block/block.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "cuda/tool.h"
#include "order/wait.h"
#include "pages.h"
#include "placed.h"
#include "pools.h"
#include "region.h"
#include "region_driver.h"
#include "stats/counter.h"

enum {
	/* How many times a device's memory a region has in addresses: pages
	 * that move leave theirs behind. */
	ADDRESSES_FACTOR = 32,
	/* So many mappings at former slots, and those of pages that move end.
	 * Each costs the driver some memory; the simulated driver needs an area
	 * of the host's address space for it, of which Linux gives 65,530. */
	FORMER_MOST = 1 << 13,
};

/* How much a region is to grow by, and by which pages. */
struct growth {
	struct heap *heap;
	struct pool *pool;
	struct heap_region *region;
	struct mnm_place to;
	bool inside; /* where addresses were claimed before */
	bool apart;  /* not beside what the pool has */
	size_t fresh;
	struct mnm_place *parts; /* free pages that move there */
	struct stretch *moved;
	size_t count, room; /* of parts */
	uint64_t devices;   /* that may use the device's memory, a bit each */
};

/* Under the context's lock. The pool has that region to grow in from now on.
 * NULL without memory, or if nobody would use the region: another thread has
 * opened one, or the pool or its context has ended meanwhile. */
static struct heap_region *region_enter(struct pool *pool, struct pages *pages,
					void *tool)
{
	struct heap_region *region;

	if (pool->heap->context->dead || pool->retired || pool->view.growing)
		return NULL;
	region = region_new(pool, pages->base, 0, MNM_BACKING_VIRTUAL, pages);
	if (!region)
		return NULL;
	region->tool = tool;
	pool->view.growing = &region->region;
	return region;
}

/* Opens a region for the pool to grow in, of that many bytes at least. Returns
 * whether the pool has one. */
static bool region_open(struct heap *heap, struct pool *pool, size_t bytes)
{
	struct context *context = heap->context;
	struct heap_region *region;
	struct pages *pages;
	bool has;
	size_t total;
	void *tool;

	if (backing_device_bytes(device_ordinal(heap->device), &total))
		return false;
	total = total / PAGE_BYTES * PAGE_BYTES * ADDRESSES_FACTOR;
	pages = pages_open(device_ordinal(heap->device),
			   bytes > total ? bytes : total);
	if (!pages)
		return false;
	if (region_context_over(pages->base, pages->count * PAGE_BYTES)) {
		/* Its end went unseen; and we use a context, maybe that one. */
		pages_close(pages);
		return false;
	}
	tool = tool_heap_begin(pages->base, (size_t)pages->count * PAGE_BYTES);
	pthread_mutex_lock(&context->lock);
	region = region_enter(pool, pages, tool);
	has = pool->view.growing;
	pthread_mutex_unlock(&context->lock);
	if (region)
		return true;
	tool_heap_end(tool);
	pages_close(pages);
	return has;
}

/* Under the context's lock. Returns false without memory. */
static bool parts_grow(struct growth *growth)
{
	size_t room = growth->room ? 2 * growth->room : 16;
	struct mnm_place *parts = realloc(growth->parts, room * sizeof(*parts));

	if (parts)
		growth->parts = parts;
	if (!parts)
		return false;
	growth->room = room;
	return true;
}

/* Under the context's lock. Takes pages that are to move out of the pool, up to
 * so many bytes. Returns the bytes. */
static size_t parts_take(struct growth *growth, size_t bytes)
{
	struct pool *pool = growth->pool;
	struct mnm_place part;
	size_t taken = 0;

	while (taken < bytes &&
	       (growth->count < growth->room || parts_grow(growth)) &&
	       pool->view.ops->part(&pool->view, bytes - taken, true, &part)) {
		growth->parts[growth->count++] = part;
		taken += part.bytes;
		pool->view.apart++;
	}
	pool->free_bytes -= taken;
	return taken;
}

/* Under the context's lock. The pages are where they were. */
static void parts_return(struct growth *growth)
{
	struct pool *pool = growth->pool;

	for (size_t i = 0; i < growth->count; i++) {
		placed_return(pool, &growth->parts[i]);
		pool->view.apart--;
	}
	growth->count = 0;
}

/* What all of the parts were freed by. */
static void parts_age(const struct growth *growth, struct mnm_place *to)
{
	const struct mnm_place *parts = growth->parts;

	to->epoch = MNM_EPOCH_NEVER;
	to->stream = growth->count ? parts[0].stream : 0;
	for (size_t i = 0; i < growth->count; i++) {
		if (parts[i].epoch > to->epoch)
			to->epoch = parts[i].epoch;
		if (parts[i].stream != to->stream)
			to->stream = 0;
	}
}

static void region_claim(struct heap_region *region, size_t bytes)
{
	region->region.bytes += bytes;
	region->pages->claimed += (uint32_t)(bytes / PAGE_BYTES);
}

/* Whether the region has addresses there for so many bytes that may get
 * pages. */
static bool region_has_room(const struct heap_region *region, uint64_t addr,
			    size_t bytes)
{
	const struct stretch to = {.addr = addr, .bytes = bytes};
	uint64_t from = addr - region->region.base;

	return from < region->region.bytes &&
	       bytes <= region->region.bytes - from && from % PAGE_BYTES == 0 &&
	       pages_are_none(region->pages, &to);
}

/* Under the context's lock. Claims the slots that the region grows by. Returns
 * false if the pool wants to grow where it can't. */
static bool slots_claim(struct growth *growth, const struct mnm_lack *lack)
{
	struct heap_region *region = growth->region;
	size_t bytes = lack->fresh + lack->moved;

	region_claim(region, lack->ahead);
	growth->to.region = &region->region;
	growth->to.addr = lack->at ? lack->at
				   : region->region.base + region->region.bytes;
	growth->to.bytes = bytes;
	growth->inside = lack->at;
	if (!growth->inside) {
		region_claim(region, bytes);
		return true;
	}
	/* Another thread's pages may be on their way there. */
	if (region->grows_inside || !region_has_room(region, lack->at, bytes))
		return false;
	region->grows_inside = true;
	return true;
}

/* Under the context's lock. What was claimed last is free again. It is passed
 * over for good if others have claimed slots since, or if the driver may know
 * something there that would refuse the next page. */
static void slots_unclaim(struct growth *growth, int res)
{
	struct mnm_region *region = &growth->region->region;
	const struct stretch to = {.addr = growth->to.addr,
				   .bytes = growth->to.bytes};

	if (growth->inside ||
	    to.addr + to.bytes != region->base + region->bytes ||
	    (res != CUDA_ERROR_OUT_OF_MEMORY && res != TAKE_LIMITED) ||
	    !pages_are_none(growth->region->pages, &to))
		return;
	region->bytes -= growth->to.bytes;
	growth->region->pages->claimed -=
		(uint32_t)(growth->to.bytes / PAGE_BYTES);
}

/* Under the context's lock. The pool goes on in another region, where the free
 * pages of this one can't move: they go back. */
static void region_leave_full(struct pool *pool)
{
	placed_trim(pool, SIZE_MAX);
	placed_leave(pool);
	atomic_store(&pool->heap->device->pending, true);
}

/* Under the context's lock. Returns false if the region has no room left, or
 * there is none. */
static bool growth_begin(struct growth *growth, size_t span,
			 enum mnm_growth rule)
{
	struct pool *pool = growth->pool;
	struct mnm_lack lack = {0};

	if (!pool->view.growing)
		return false;
	growth->region = (struct heap_region *)pool->view.growing;
	pool->view.ops->lacks(&pool->view, span, pool->view.growing, rule,
			      &lack);
	if (growth->apart) /* a page of addresses stays empty */
		lack.ahead += PAGE_BYTES;
	if (lack.fresh + lack.moved + lack.ahead >
	    growth->region->limit - pool->view.growing->bytes) {
		region_leave_full(pool);
		return false;
	}
	if (!slots_claim(growth, &lack))
		return false;
	growth->fresh =
		lack.fresh + lack.moved - parts_take(growth, lack.moved);
	growth->region->pages->eyes++;
	return true;
}

static int growth_map(void *arg)
{
	struct growth *growth = arg;
	const struct stretch to = {.addr = growth->to.addr,
				   .bytes = growth->to.bytes};
	struct device *device = growth->heap->device;
	struct pages *pages = growth->region->pages;
	uint64_t over = pages->former >= FORMER_MOST ? device_over(device) : 0;

	for (size_t i = 0; i < growth->count; i++) {
		const struct mnm_place *part = &growth->parts[i];

		growth->moved[i] =
			(struct stretch){part->addr, part->bytes, part->epoch};
		pages_settle(pages, &growth->moved[i], over);
	}
	growth->devices = devices_allowed(device);
	return pages_map(pages, &to, growth->moved, growth->count,
			 growth->devices);
}

/* Under the context's lock. The region has grown. */
static void growth_end(struct growth *growth)
{
	struct device *device = growth->heap->device;
	struct pool *pool = growth->pool;

	parts_age(growth, &growth->to);
	pool->view.apart -= growth->count;
	pool->view.region_bytes += growth->fresh;
	growth->region->pages->used += (uint32_t)(growth->fresh / PAGE_BYTES);
	counter_add(device, COUNTER_idle_bytes, growth->fresh);
	counter_add(device, COUNTER_region_bytes, growth->fresh);
	counter_add(device, COUNTER_moved_pages,
		    (growth->to.bytes - growth->fresh) / PAGE_BYTES);
	counter_add(device, COUNTER_driver_allocs, growth->fresh / PAGE_BYTES);
	placed_return(pool, &growth->to);
}

static int growth_make(struct growth *growth, bool pressed)
{
	struct context *context = growth->heap->context;
	int res = CUDA_ERROR_OUT_OF_MEMORY;

	growth->moved = malloc((growth->count + 1) * sizeof(*growth->moved));
	if (growth->moved)
		res = heap_take(growth->heap, growth->fresh, pressed,
				growth_map, growth);
	free(growth->moved);
	if (!res)
		devices_allow_since(growth->heap->device, growth->to.addr,
				    growth->to.bytes, growth->devices);
	pthread_mutex_lock(&context->lock);
	if (growth->inside)
		growth->region->grows_inside = false;
	if (res) {
		parts_return(growth);
		slots_unclaim(growth, res);
	} else {
		growth_end(growth);
	}
	pthread_mutex_unlock(&context->lock);
	region_unlook(growth->region);
	return res;
}

/* Nobody ends the context meanwhile, so its regions stay. */
static int grow_in(struct growth *growth, size_t span, enum mnm_growth rule,
		   bool pressed)
{
	struct context *context = growth->heap->context;
	bool begun = false;

	for (int i = 0; i < 2 && !begun; i++) {
		if (i &&
		    !region_open(growth->heap, growth->pool, span + PAGE_BYTES))
			return GROW_OTHERWISE;
		pthread_mutex_lock(&context->lock);
		begun = growth_begin(growth, span, rule);
		pthread_mutex_unlock(&context->lock);
	}
	return begun ? growth_make(growth, pressed) : GROW_OTHERWISE;
}

int grow_pages(struct heap *heap, struct pool *pool, size_t span,
	       enum mnm_growth rule, bool pressed, bool apart)
{
	struct growth growth = {.heap = heap, .pool = pool, .apart = apart};
	int res;

	if (!device_can_hold(heap->device, span))
		return GROW_OTHERWISE; /* the driver refuses as much at once */
	if (!context_use(heap->context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	res = grow_in(&growth, span, rule, pressed);
	context_unuse(heap->context);
	free(growth.parts);
	return res;
}
