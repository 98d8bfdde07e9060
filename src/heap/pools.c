#include <pthread.h>

#include "checked/checked.h"
#include "common/pool_list.h"
#include "idle_limit.h"
#include "tcache/tcache.h"
#include "placed.h"
#include "planned.h"
#include "planner.h"
#include "reclaim.h"
#include "pools.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

static void pools_push(struct heap *heap, struct pool *pool)
{
	pool->heap = heap;
	pool->next = heap->pools;
	heap->pools = pool;
	heap->keeps_blocks = pool_ops_keep(pool->view.ops);
	heap->places_blocks = pool_places(pool);
	planned_open(pool);
}

static void pools_unlink(struct pool *pool)
{
	struct pool **link = &pool->heap->pools;

	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
}

int choice_serving(int choice)
{
	return checked_is_off(pool_ops_at(choice)) ? pool_row_find(POOL_DEFAULT)
						   : choice;
}

int device_choice_serving(struct device *device)
{
	int choice = atomic_load(&device->choice);
	int other = choice_serving(choice);

	if (other == choice)
		return choice;
	return atomic_compare_exchange_strong(&device->choice, &choice, other)
		       ? other
		       : choice;
}

/* The active pool is switched off. */
static void pools_swap_off(struct heap *heap, struct pool *fresh)
{
	pools_swap(heap, fresh);
	atomic_store(&heap->device->pending, true);
}

struct pool *pools_active(struct heap *heap, const struct config *config)
{
	struct pool *pool = heap->pools;
	bool off;

	if (pool && !pool->retired && !checked_is_off(pool->view.ops))
		return pool;
	off = pool && !pool->retired;
	pool = pool_new(device_choice_serving(heap->device), config);
	if (off)
		pools_swap_off(heap, pool);
	else if (pool)
		pools_push(heap, pool);
	return pool;
}

/* A retired pool ends with its last block. */
static void pool_close_if_over(struct pool *pool)
{
	if (!pool->retired || pool->view.live_count)
		return;
	pools_unlink(pool);
	pool_close(pool);
}

/* Moves idle blocks of the pool, linked by next, to heap->pending. Returns
 * their bytes. */
static size_t pool_part(struct pool *pool, struct block *list)
{
	struct heap *heap = pool->heap;
	size_t bytes = 0;

	for (struct block *block = list, *next; block; block = next) {
		next = block->next;
		bytes += block->span;
		block->next = heap->pending;
		heap->pending = block;
		idle_limit_shed(heap->device, block->span);
	}
	counter_add(heap->device, COUNTER_pending_bytes, bytes);
	return bytes;
}

static size_t pool_trim(struct pool *pool, size_t least)
{
	if (pool_places(pool))
		return placed_trim(pool, least);
	return pool->view.ops->trim
		       ? pool_part(pool, block_of_idle(pool->view.ops->trim(
						 &pool->view, least)))
		       : 0;
}

void pool_retire(struct pool *pool)
{
	pool->retired = true;
	planned_end(pool);
	placed_leave(pool);
	counter_add(pool->heap->device, COUNTER_retired_bytes,
		    pool->view.live_span);
	pool_close_if_over(pool);
}

size_t pools_swap(struct heap *heap, struct pool *fresh)
{
	struct pool *old = heap->pools;
	size_t bytes = 0;

	tcaches_flush(heap);
	if (fresh)
		pools_push(heap, fresh);
	if (old && !old->retired) {
		bytes = pool_trim(old, SIZE_MAX);
		pool_retire(old);
	}
	idle_limit_reset(heap->device);
	return bytes;
}

/* Where a number limits what is idle, each cache may fill up to that by itself,
 * so none keeps its blocks beside those in the pool. Nor does one whose blocks
 * may be what is left of a region that could go back. */
static bool caches_keep(const struct heap *heap, size_t least)
{
	return least < SIZE_MAX && !heap->places_blocks &&
	       idle_limit_idle_most(heap->device) == SIZE_MAX;
}

size_t pools_trim(struct heap *heap, size_t least)
{
	size_t bytes = 0;

	if (caches_keep(heap, least))
		tcaches_flush_largest(heap, least);
	else if (least)
		tcaches_flush(heap);
	for (struct pool *pool = heap->pools; pool && bytes < least;
	     pool = pool->next)
		bytes += pool_trim(pool, least - bytes);
	return bytes;
}

bool pools_trim_one(struct heap *heap, size_t span)
{
	const struct mnm_request any = {.span = span, .safe = UINT64_MAX};
	struct pool *pool = heap->pools;
	struct mnm_block *idle;

	if (!pool || !pool->view.ops->alloc ||
	    pool->view.ops->alloc(&pool->view, &any, &idle) != MNM_HIT)
		return false;
	idle->next = NULL;
	return pool_part(pool, block_of_idle(idle));
}

bool pool_may_keep(const struct pool *pool, const struct block *block)
{
	return !pool->retired || block_is_placed(block);
}

static void pool_checkout_many(struct pool *pool, size_t count, size_t bytes)
{
	pool->view.live_count += count;
	pool->view.live_span += bytes;
	if (pool->retired) /* swapped out while the driver was asked */
		counter_add(pool->heap->device, COUNTER_retired_bytes, bytes);
}

static void pool_checkin_many(struct pool *pool, size_t count, size_t bytes)
{
	pool->view.live_count -= count;
	pool->view.live_span -= bytes;
	if (pool->retired)
		counter_sub(pool->heap->device, COUNTER_retired_bytes, bytes);
	pool_close_if_over(pool);
}

void pool_checkout(struct pool *pool, size_t span)
{
	pool_checkout_many(pool, 1, span);
}

void pool_checkin(struct pool *pool, size_t span)
{
	pool_checkin_many(pool, 1, span);
}

/* Under the context's lock. */
static void pending_add(struct heap *heap, struct block *block)
{
	counter_add(heap->device, COUNTER_quarantined_bytes, block->span);
	counter_add(heap->device, COUNTER_pending_bytes, block->span);
	counter_add(heap->device, COUNTER_idle_bytes, block->span);
	block->next = heap->pending;
	heap->pending = block;
}

bool pool_keep(struct pool *pool, struct block *block)
{
	if (!pool_places(pool))
		return pool->view.ops->free &&
		       pool->view.ops->free(&pool->view, &block->idle);
	if (!block_is_placed(block))
		return false;
	placed_free(block);
	return true;
}

void pools_bury(struct block *block)
{
	struct pool *pool = block_pool(block);
	size_t span = block->span;

	placed_bury(block);
	pool_checkin(pool, span);
}

enum mnm_answer pool_find(struct pool *pool, const struct mnm_request *request,
			  struct block **block)
{
	struct mnm_block *idle = NULL;
	enum mnm_answer answer;

	if (pool_places(pool)) {
		answer = placed_alloc(pool, request, block);
		planner_look(pool);
		return answer;
	}
	answer = pool->view.ops->alloc(&pool->view, request, &idle);
	if (answer == MNM_HIT)
		*block = block_of_idle(idle);
	return answer;
}

void pools_put(struct block *block)
{
	struct pool *pool = block_pool(block);
	struct heap *heap = pool->heap;
	size_t span = block->span;

	if (pool_keep(pool, block)) {
		counter_add(heap->device, COUNTER_idle_bytes, span);
		pool_checkin(pool, span);
		return;
	}
	pool_checkin(pool, span);
	pending_add(heap, block);
	atomic_store(&heap->device->pending, true);
}

void pools_free_batch(const struct block_list *list)
{
	struct pool *pool = block_pool(list->head);
	size_t bytes = list->count * list->head->span;
	const struct mnm_block_list idle = list_idle(list);

	if (!pool->view.ops->free_batch ||
	    !pool->view.ops->free_batch(&pool->view, &idle)) {
		for (struct block *at = list->head, *next; at; at = next) {
			next = at->next;
			pools_put(at);
		}
		return;
	}
	counter_add(pool->heap->device, COUNTER_idle_bytes, bytes);
	pool_checkin_many(pool, list->count, bytes);
}

struct block_list pools_alloc_batch(struct pool *pool,
				    const struct mnm_request *request,
				    size_t most)
{
	struct block_list list = {0};
	size_t bytes;

	if (!pool->view.ops->alloc_batch)
		return list;
	list = list_of_idle(
		pool->view.ops->alloc_batch(&pool->view, request, most));
	bytes = list.count * request->span;

	if (list.count) {
		counter_sub(pool->heap->device, COUNTER_idle_bytes, bytes);
		pool_checkout_many(pool, list.count, bytes);
	}
	return list;
}

void pools_send_back(struct block *block)
{
	struct heap *heap = block_pool(block)->heap;
	struct context *context = heap->context;

	pthread_mutex_lock(&context->lock);
	if (context->dead) {
		block_forget(block);
	} else {
		pool_checkin(block_pool(block), block->span);
		pending_add(heap, block);
	}
	pthread_mutex_unlock(&context->lock);
	reclaim_request(heap->device);
}

void pools_take_back(struct block *block)
{
	struct pool *pool = block_pool(block);
	struct context *context = pool->heap->context;
	struct device *device = pool->heap->device;
	size_t span = block->span; /* once kept, it may be another thread's */
	bool kept;

	pthread_mutex_lock(&context->lock); /* an ending context may read it */
	block->epoch = atomic_load(&device->epoch);
	block->use = 0;
	kept = !context->dead && pool_may_keep(pool, block) &&
	       pool_keep(pool, block);
	if (kept) {
		counter_add(device, COUNTER_idle_bytes, span);
		counter_add(device, COUNTER_quarantined_bytes, span);
		pool_checkin(pool, span);
	}
	pthread_mutex_unlock(&context->lock);
	if (!kept)
		pools_send_back(block);
}
