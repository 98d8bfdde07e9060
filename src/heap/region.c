#include "region.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "context/context.h"
#include "noted.h"
#include "pages.h"
#include "pools/pool.h"
#include "preload/thread.h"
#include "stats/counter.h"

/* All regions, by address. The lock is taken last of all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap_region **table;
static size_t count, room;
static size_t away; /* that may come back: there has to be room for them */
_Atomic bool regions_any;

/* Under lock. The number of regions that begin at the address or before it. */
static size_t place_of(uint64_t addr)
{
	size_t low = 0, high = count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (table[middle]->region.base <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Under lock. */
static struct heap_region *find(uint64_t addr)
{
	size_t place = place_of(addr);
	struct heap_region *region = place ? table[place - 1] : NULL;

	return region && addr - region->region.base < region->limit ? region
								    : NULL;
}

/* Under lock. Returns false without memory. */
static bool table_grow(void)
{
	size_t more = room ? 2 * room : 16;
	struct heap_region **grown = realloc(table, more * sizeof(*table));

	if (!grown)
		return false;
	table = grown;
	room = more;
	return true;
}

/* Under lock. There is room. */
static void table_put(struct heap_region *region)
{
	size_t place = place_of(region->region.base);

	memmove(table + place + 1, table + place,
		(count - place) * sizeof(*table));
	table[place] = region;
	count++;
	counter_add(region->heap->device, COUNTER_regions, 1);
	regions_any = true;
}

static bool table_enter(struct heap_region *region)
{
	bool entered;

	pthread_mutex_lock(&lock);
	entered = count + away < room || table_grow();
	if (entered)
		table_put(region);
	pthread_mutex_unlock(&lock);
	if (entered)
		noted_region(MNM_RECORD_REGION, region);
	return entered;
}

void region_known(struct heap_region *region)
{
	pthread_mutex_lock(&lock);
	away--;
	region->away = false;
	table_put(region);
	pthread_mutex_unlock(&lock);
	noted_region(MNM_RECORD_REGION, region);
}

void region_unknown(struct heap_region *region)
{
	size_t place;

	noted_region(MNM_RECORD_REGION_END, region);
	if (region->heap->recent == region)
		region->heap->recent = NULL;
	pthread_mutex_lock(&lock);
	place = place_of(region->region.base);
	memmove(table + place - 1, table + place,
		(count - place) * sizeof(*table));
	count--;
	counter_sub(region->heap->device, COUNTER_regions, 1);
	away++;
	region->away = true;
	pthread_mutex_unlock(&lock);
}

struct heap_region *region_new(struct pool *pool, uint64_t base, size_t bytes,
			       enum mnm_backing backing, struct pages *pages)
{
	struct heap_region *region = calloc(1, sizeof(*region));
	size_t limit = pages ? pages->count * MNM_REGION_PAGE : bytes;

	if (!region)
		return NULL;
	region->region =
		(struct mnm_region){.base = base,
				    .bytes = bytes,
				    .grows = pages && pool->view.ops->grows};
	region->backing = backing;
	region->heap = pool->heap;
	region->pool = pool;
	region->pages = pages;
	region->limit = limit;
	if (!starts_open(&region->starts, base, limit)) {
		free(region);
		return NULL;
	}
	if (backing == MNM_BACKING_MANAGED)
		atomic_fetch_add(&pool->heap->device->managed, bytes);
	if (!pages)
		region->record = block_new();
	if ((pages || region->record) && table_enter(region))
		return region;
	region_free(region);
	return NULL;
}

void region_free(struct heap_region *region)
{
	if (region->backing == MNM_BACKING_MANAGED)
		atomic_fetch_sub(&region->heap->device->managed,
				 region->region.bytes);
	pthread_mutex_lock(&lock);
	away -= region->away;
	pthread_mutex_unlock(&lock);
	if (region->record)
		block_drop(region->record);
	starts_close(&region->starts);
	free(region);
}

struct heap_region *region_at(uint64_t addr)
{
	struct heap_region *region;

	if (!regions_any)
		return NULL;
	pthread_mutex_lock(&lock);
	region = find(addr);
	pthread_mutex_unlock(&lock);
	return region;
}

struct heap_region *region_of_block(struct heap *heap, uint64_t addr)
{
	struct heap_region *recent = heap->recent;

	if (!recent || addr - recent->region.base >= recent->limit)
		heap->recent = recent = region_at(addr);
	return recent;
}

void region_mark(struct heap_region *region, uint64_t addr)
{
	starts_set(&region->starts, addr);
}

void region_unmark(struct heap_region *region, uint64_t addr)
{
	starts_clear(&region->starts, addr);
}

/* Under lock. Whether a call is under way that may end the region's context:
 * the driver may have given its addresses out again. */
static bool is_ending(const struct heap_region *region)
{
	return region->heap->context->closing || region->heap->context->dead;
}

/* Under lock. The region that an address is in for sure, or NULL. */
static struct heap_region *find_sure(uint64_t addr)
{
	struct heap_region *region = find(addr);

	return region && !is_ending(region) ? region : NULL;
}

void region_await(uint64_t addr)
{
	struct heap_region *region;
	struct context *context = NULL;

	if (!regions_any)
		return;
	pthread_mutex_lock(&lock);
	region = find(addr);
	if (region && is_ending(region))
		context = region->heap->context;
	pthread_mutex_unlock(&lock);
	if (context)
		context_await(context);
}

bool region_has(uint64_t addr)
{
	bool has;

	if (!regions_any)
		return false;
	pthread_mutex_lock(&lock);
	has = find_sure(addr);
	pthread_mutex_unlock(&lock);
	return has;
}

void regions_each(void (*each)(const struct heap_region *region, void *arg),
		  void *arg)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < count; i++)
		each(table[i], arg);
	pthread_mutex_unlock(&lock);
}

bool pool_has_region_at(const struct pool *pool, uint64_t addr)
{
	const struct heap_region *region;
	bool has;

	if (!regions_any)
		return false;
	pthread_mutex_lock(&lock);
	region = find(addr);
	has = region && region->pool == pool;
	pthread_mutex_unlock(&lock);
	return has;
}

/* Where the last block begins that lives, at that address or before it: a place
 * that a plan uses again and again is a start although nothing lives there. If
 * nothing lives at all, any start. */
static uint64_t start_before(const struct heap_region *region, uint64_t addr)
{
	uint64_t start = starts_before(&region->starts, addr), at = start, word;

	while (at && (!block_find(at, &word) || !word_is_live(word)))
		at = at > region->region.base
			     ? starts_before(&region->starts, at - 1)
			     : 0;
	return at ? at : start;
}

bool region_block_at(uint64_t addr, uint64_t *start, enum mnm_backing *backing)
{
	const struct heap_region *region = NULL;

	*start = 0;
	*backing = MNM_BACKING_NONE;
	if (!regions_any)
		return false;
	pthread_mutex_lock(&lock);
	region = find_sure(addr);
	if (region) {
		*start = start_before(region, addr);
		*backing = region->backing;
	}
	pthread_mutex_unlock(&lock);
	return region;
}

/* The first region that is wanted, or NULL. */
static struct heap_region *first(
	bool (*wanted)(const struct heap_region *region, const void *of),
	const void *of)
{
	struct heap_region *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < count && !found; i++)
		if (wanted(table[i], of))
			found = table[i];
	pthread_mutex_unlock(&lock);
	return found;
}

static bool is_of_heap(const struct heap_region *region, const void *heap)
{
	return region->heap == heap;
}

static bool is_to_end(const struct heap_region *region, const void *pool)
{
	return region->pool == pool && region->pages && !region->pages->ends;
}

struct heap_region *region_of_heap(const struct heap *heap)
{
	return first(is_of_heap, heap);
}

struct heap_region *region_of_pool(const struct pool *pool)
{
	return first(is_to_end, pool);
}

struct heap_region *region_look(const struct heap *heap, uint64_t addr)
{
	struct heap_region *found = NULL;

	if (!regions_any)
		return NULL;
	pthread_mutex_lock(&heap->context->lock);
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < count && !found; i++)
		if (table[i]->heap == heap && table[i]->pages &&
		    table[i]->region.base >= addr)
			found = table[i];
	if (found)
		found->pages->eyes++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&heap->context->lock);
	return found;
}

/* Under the context's lock. */
static bool ends_now(struct heap_region *region)
{
	const struct pages *pages = region->pages;

	if (!pages->ends || pages->used || pages->eyes)
		return false;
	region_unknown(region);
	return true;
}

bool region_look_ended(struct heap_region *region)
{
	pthread_mutex_t *context_lock = &region->heap->context->lock;
	bool ends;

	pthread_mutex_lock(context_lock);
	region->pages->eyes--;
	ends = ends_now(region);
	pthread_mutex_unlock(context_lock);
	return ends;
}

bool region_pages_left(struct heap_region *region, size_t bytes)
{
	pthread_mutex_t *context_lock = &region->heap->context->lock;
	bool ends;

	pthread_mutex_lock(context_lock);
	region->pages->used -= (uint32_t)(bytes / MNM_REGION_PAGE);
	ends = ends_now(region);
	pthread_mutex_unlock(context_lock);
	return ends;
}

struct context *region_context_over(uint64_t addr, size_t bytes)
{
	struct context *context = NULL;
	const struct heap_region *last;
	size_t place;

	if (!regions_any)
		return NULL;
	pthread_mutex_lock(&lock);
	place = place_of(addr + bytes - 1);
	last = place ? table[place - 1] : NULL;
	if (last && last->region.base + last->limit > addr)
		context = last->heap->context;
	pthread_mutex_unlock(&lock);
	return context;
}

/* A context's lock is taken before this one, so here it is only tried. */
bool regions_try_each(const struct device *device,
		      void (*visit)(const struct heap_region *region,
				    void *arg),
		      void *arg)
{
	bool all = true;

	if (!thread_trylock(&lock))
		return false;
	for (size_t i = 0; i < count && all; i++) {
		struct heap *heap = table[i]->heap;

		if (heap->device != device)
			continue;
		all = thread_trylock(&heap->context->lock);
		if (!all)
			break;
		visit(table[i], arg);
		pthread_mutex_unlock(&heap->context->lock);
	}
	pthread_mutex_unlock(&lock);
	return all;
}
