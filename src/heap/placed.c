#include "placed.h"

#include "cuda/tool.h"
#include "pages.h"
#include "planned.h"
#include "pools.h"
#include "region.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

static struct heap_region *region_of(const struct mnm_place *place)
{
	return (struct heap_region *)place->region;
}

/* A record for placed bytes; or NULL without memory. */
static struct block *record_new(struct pool *pool,
				const struct mnm_place *place)
{
	struct block *block = block_new(), *stale;
	uint64_t word;
	bool entered;

	if (!block)
		return NULL;
	block_owner_set(block, pool, 0);
	block->span = place->bytes;
	block->epoch = place->epoch;
	entered = block_enter(block, place->addr, &stale, &word);
	if (stale && word_is_live(word))
		block_oust_later(stale); /* its context has another lock */
	if (entered)
		return block;
	block_drop(block);
	return NULL;
}

enum mnm_answer placed_alloc(struct pool *pool,
			     const struct mnm_request *request,
			     struct block **block)
{
	struct mnm_place place;
	enum mnm_answer answer =
		pool->view.ops->place(&pool->view, request, &place);

	if (answer != MNM_HIT)
		return answer;
	*block = planned_record(pool, &place);
	if (!*block)
		*block = record_new(pool, &place);
	if (!*block)
		pool->view.ops->add(&pool->view, &place);
	planned_settle(pool);
	if (!*block)
		return MNM_MISS;
	planned_know(pool, *block);
	pool->free_bytes -= place.bytes;
	region_mark(region_of(&place), place.addr);
	return MNM_HIT;
}

bool block_is_placed(const struct block *block)
{
	const struct pool *pool = block_pool(block);

	return pool_places(pool) && !pool->has_lost &&
	       (!pool->has_whole ||
		pool_has_region_at(pool, block_addr(block)));
}

static struct mnm_place place_of(const struct block *block)
{
	struct heap_region *region =
		region_of_block(block_pool(block)->heap, block_addr(block));
	return (struct mnm_place){
		.region = &region->region,
		.addr = block_addr(block),
		.bytes = block->span,
		.epoch = block->epoch,
		.stream = block_stream(block),
	};
}

struct mnm_place placed_record_end(struct block *block)
{
	const struct mnm_place place = place_of(block);

	planned_forget(block);
	mempool_leave(block);
	region_unmark(region_of(&place), place.addr);
	block_remove(block);
	block_drop(block);
	return place;
}

/* A record by which free bytes of a region go back, in no index. NULL without
 * memory. */
static struct block *part_record(struct pool *pool,
				 const struct mnm_place *place)
{
	struct heap_region *region = region_of(place);
	struct block *record = region->record;

	if (record)
		region->record = NULL;
	else
		record = block_new();
	if (!record)
		return NULL;
	atomic_store(&record->word, place->addr | BLOCK_IDLE | BLOCK_REGION);
	block_owner_set(record, pool, 0);
	record->span = place->bytes;
	record->epoch = place->epoch;
	return record;
}

static void pending_push(struct heap *heap, struct block *record)
{
	record->next = heap->pending;
	heap->pending = record;
	counter_add(heap->device, COUNTER_pending_bytes, record->span);
}

/* Bytes that the pool has handed over go back. Returns false without memory:
 * then they are the pool's again. */
static bool part_leaves(struct pool *pool, const struct mnm_place *place)
{
	struct block *record = part_record(pool, place);

	if (!record) {
		pool->view.ops->add(&pool->view, place);
		return false;
	}
	pending_push(pool->heap, record);
	pool->free_bytes -= place->bytes;
	pool->view.region_bytes -= place->bytes;
	counter_sub(pool->heap->device, COUNTER_region_bytes, place->bytes);
	return true;
}

void placed_return(struct pool *pool, const struct mnm_place *place)
{
	pool->free_bytes += place->bytes;
	if (!pool->view.ops->add(&pool->view, place) &&
	    part_leaves(pool, place))
		atomic_store(&pool->heap->device->pending, true);
}

size_t placed_trim(struct pool *pool, size_t least)
{
	struct mnm_place place;
	size_t bytes = 0;

	/* What it knows of regions that have gone is not to be looked at. */
	while (bytes < least && !pool->has_lost &&
	       pool->view.ops->part(&pool->view, least - bytes, false,
				    &place) &&
	       part_leaves(pool, &place))
		bytes += place.bytes;
	return bytes;
}

/* Those of the average age or an older one, all of them. */
static size_t trim_aged_once(struct pool *pool)
{
	struct mnm_place place;
	size_t bytes = 0;
	uint64_t age = 0;

	while (!pool->has_lost &&
	       pool->view.ops->part_aged(&pool->view, &age, &place) &&
	       part_leaves(pool, &place))
		bytes += place.bytes;
	return bytes;
}

size_t placed_trim_aged(struct pool *pool, size_t least)
{
	size_t bytes = 0, more = 1;

	while (bytes < least && more) {
		more = trim_aged_once(pool);
		bytes += more;
	}
	return bytes;
}

void placed_bury(struct block *block)
{
	struct pool *pool = block_pool(block);

	pool->buried_bytes += placed_record_end(block).bytes;
}

void placed_free(struct block *block)
{
	struct pool *pool = block_pool(block);
	bool stays = planned_stays(block);
	const struct mnm_place place =
		stays ? place_of(block) : placed_record_end(block);

	heap_placed_in(pool->heap, place.epoch);
	pool->view.ops->add(&pool->view, &place);
	planned_settle(pool);
	if (stays && planned_stays(block))
		mempool_leave(block);
	else if (stays) /* the plan is given up */
		placed_record_end(block);
	pool->free_bytes += place.bytes;
	if (pool->retired && placed_trim(pool, SIZE_MAX))
		atomic_store(&pool->heap->device->pending, true);
}

bool placed_add(struct pool *pool, const struct mnm_place *place)
{
	if (!pool->view.ops->add(&pool->view, place))
		return false;
	pool->free_bytes += place->bytes;
	pool->view.region_bytes += place->bytes;
	counter_add(pool->heap->device, COUNTER_region_bytes, place->bytes);
	counter_add(pool->heap->device, COUNTER_idle_bytes, place->bytes);
	return true;
}

/* A region without pages that nobody looks at goes by a record without bytes,
 * which counts as a look. If there is no memory for one, its addresses stay
 * taken. */
static void region_leave(struct pool *pool, struct heap_region *region)
{
	const struct mnm_place none = {.region = &region->region,
				       .addr = region->region.base};
	struct pages *pages = region->pages;
	struct block *record;

	pages->ends = true;
	if (pages->used || pages->eyes)
		return;
	record = part_record(pool, &none);
	if (!record)
		return;
	pages->eyes++;
	pending_push(pool->heap, record);
}

void placed_leave(struct pool *pool)
{
	struct heap_region *region;

	pool->view.growing = NULL;
	while ((region = region_of_pool(pool)))
		region_leave(pool, region);
}

static void region_drop(struct heap_region *region)
{
	region_unknown(region);
	tool_heap_end(region->tool);
	if (region->pages)
		pages_lose(region->pages);
	region_free(region);
}

/* The bytes of its blocks are counted with these. */
static void pool_lose(struct pool *pool)
{
	struct device *device = pool->heap->device;

	planned_end(pool);
	counter_sub(device, COUNTER_idle_bytes, pool->free_bytes);
	counter_sub(device, COUNTER_region_bytes, pool->view.region_bytes);
	device_unreserve(device, pool->free_bytes + pool->buried_bytes);
	pool->free_bytes = pool->buried_bytes = pool->view.region_bytes = 0;
	pool->view.growing = NULL;
	pool->has_lost = true;
}

void placed_forget(struct heap *heap)
{
	struct heap_region *region;

	for (struct pool *pool = heap->pools; pool; pool = pool->next)
		pool_lose(pool);
	while ((region = region_of_heap(heap)))
		region_drop(region);
}
