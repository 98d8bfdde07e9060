#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "idle_limit.h"
#include "gate/gate.h"
#include "tcache/tcache.h"
#include "reclaim.h"
#include "deferred_free.h"
#include "pools.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

/* Records of pools that were closed, linked by next. */
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *spares;

static struct pool *spare_take(const struct pool_ops *ops)
{
	struct pool **link = &spares, *pool;

	pthread_mutex_lock(&spares_lock);
	while (*link && (*link)->ops != ops)
		link = &(*link)->next;
	pool = *link;
	if (pool)
		*link = pool->next;
	pthread_mutex_unlock(&spares_lock);
	return pool;
}

static void spare_give(struct pool *pool)
{
	pthread_mutex_lock(&spares_lock);
	pool->next = spares;
	spares = pool;
	pthread_mutex_unlock(&spares_lock);
}

/* The first place in the memory where a record may begin. */
static void *record_place(char *memory)
{
	size_t past = (uintptr_t)memory % POOL_ALIGN;

	return past ? memory + (POOL_ALIGN - past) : memory;
}

/* A record is never freed. The program's own malloc may come without an
 * aligned one. */
static struct pool *record_fresh(size_t size)
{
	void *memory = calloc(1, size + POOL_ALIGN - 1);

	return record_place(memory);
}

/* A record that is blank but for its heap. */
static struct pool *record_new(const struct pool_ops *ops)
{
	const size_t kept = sizeof(((struct pool *)NULL)->heap);
	struct pool *pool = spare_take(ops);

	if (!pool)
		return record_fresh(ops->size);
	memset((char *)pool + kept, 0, ops->size - kept);
	return pool;
}

struct pool *pool_new(int row, const struct config *config)
{
	const struct pool_ops *ops = pool_ops_at(row);
	struct pool *pool = record_new(ops);

	if (!pool)
		return NULL;
	pool->ops = ops;
	if (!ops->open || ops->open(pool, config))
		return pool;
	spare_give(pool);
	return NULL;
}

void pool_close(struct pool *pool)
{
	if (pool->ops->close)
		pool->ops->close(pool);
	spare_give(pool);
}

static void pools_push(struct heap *heap, struct pool *pool)
{
	pool->heap = heap;
	pool->next = heap->pools;
	heap->pools = pool;
	heap->keeps_blocks = pool->ops->alloc;
}

static void pools_unlink(struct pool *pool)
{
	struct pool **link = &pool->heap->pools;

	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
}

struct pool *pools_active(struct heap *heap, const struct config *config)
{
	struct pool *pool;

	if (heap->pools && !heap->pools->retired)
		return heap->pools;
	pool = pool_new(heap->device->choice, config);
	if (pool)
		pools_push(heap, pool);
	return pool;
}

/* A retired pool ends with its last block. */
static void pool_close_if_over(struct pool *pool)
{
	if (!pool->retired || pool->live_count)
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
	return pool->ops->trim ? pool_part(pool, pool->ops->trim(pool, least))
			       : 0;
}

static void pool_retire(struct pool *pool)
{
	pool->retired = true;
	counter_add(pool->heap->device, COUNTER_retired_bytes, pool->live_span);
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
 * so none keeps its blocks beside those in the pool. */
static bool caches_keep(const struct heap *heap, size_t least)
{
	return least < SIZE_MAX &&
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
	const struct pool_request any = {.span = span, .safe = UINT64_MAX};
	struct pool *pool = heap->pools;
	struct block *block;

	if (!pool || !pool->ops->alloc ||
	    pool->ops->alloc(pool, &any, &block) != POOL_HIT)
		return false;
	block->next = NULL;
	return pool_part(pool, block);
}

static void pool_checkout_many(struct pool *pool, size_t count, size_t bytes)
{
	pool->live_count += count;
	pool->live_span += bytes;
	if (pool->retired) /* swapped out while the driver was asked */
		counter_add(pool->heap->device, COUNTER_retired_bytes, bytes);
}

static void pool_checkin_many(struct pool *pool, size_t count, size_t bytes)
{
	pool->live_count -= count;
	pool->live_span -= bytes;
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

/* Under the context's lock. The driver has taken the memory of a block that
 * its pool counts as live. */
static void block_forget(struct block *block)
{
	mempool_leave(block);
	device_unreserve(block_pool(block)->heap->device, block->span);
	pool_checkin(block_pool(block), block->span);
	block_remove(block);
	block_drop(block);
}

void pools_put(struct block *block)
{
	struct pool *pool = block_pool(block);
	struct heap *heap = pool->heap;
	size_t span = block->span;

	if (pool->ops->free(pool, block)) {
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

	if (!pool->ops->free_batch(pool, list)) {
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
				    const struct pool_request *request,
				    size_t most)
{
	struct block_list list = pool->ops->alloc_batch(pool, request, most);
	size_t bytes = list.count * request->span;

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
	kept = !context->dead && !pool->retired && pool->ops->free(pool, block);
	if (kept) {
		counter_add(device, COUNTER_idle_bytes, span);
		counter_add(device, COUNTER_quarantined_bytes, span);
		pool_checkin(pool, span);
	}
	pthread_mutex_unlock(&context->lock);
	if (!kept)
		pools_send_back(block);
}

/* Forgets the blocks that wait in heap->pending. */
static void pending_forget(struct heap *heap)
{
	struct device *device = heap->device;
	struct block *block;

	while ((block = heap->pending)) {
		heap->pending = block->next;
		counter_sub(device, COUNTER_pending_bytes, block->span);
		counter_sub(device, COUNTER_idle_bytes, block->span);
		mempool_leave(block);
		device_unreserve(device, block->span);
		block_remove(block);
		block_drop(block);
	}
}

/* Forgets a block that was live. */
static void live_forget(struct block *block)
{
	counter_sub(block_pool(block)->heap->device, COUNTER_live_bytes,
		    block_size(block));
	mempool_count(block_mempool(block), -(int64_t)block_size(block));
	block_forget(block);
}

/* Under the context's lock, so its pools stay. */
static bool context_has(const struct context *context, const struct pool *pool)
{
	const struct heap *heap = &context->heap;

	for (; heap; heap = atomic_load(&heap->next))
		for (struct pool *at = heap->pools; at; at = at->next)
			if (at == pool)
				return true;
	return false;
}

/* Its request no longer has bytes to spare. */
static void roomy_forget(const struct block *block)
{
	const struct pool *pool = block_pool(block);

	idle_limit_checkin(pool->heap->device,
			   pool->ops->span(pool, block_size(block), 0),
			   block->span);
}

/* A block that another thread is just freeing is not live: that thread finds
 * the context dead, and forgets the block.
 *
 * The record of another context's block may be dropped and given out anew at
 * any moment, the record of one of ours only under the lock. So the pool may be
 * one of ours although the word was of another's block: the record is now that
 * of a fresh block, whose thread waits for the lock and will find the context
 * dead. block_claim fails then, as the record's word is another. */
static void forget_visit(struct block *block, uint64_t word, void *arg)
{
	if (!word_is_live(word) || !context_has(arg, block_pool(block)) ||
	    !block_claim(block, word & ~BLOCK_BITS))
		return;
	if (word & BLOCK_ROOMY)
		roomy_forget(block);
	live_forget(block);
}

/* The blocks go first: the record of a pool that is closed may be another
 * context's at once, and whoever finds a block asks its pool whose it is. */
static void heap_forget(struct heap *heap)
{
	pools_trim(heap, SIZE_MAX);
	pending_forget(heap);
	for (struct pool *pool = heap->pools, *next; pool; pool = next) {
		next = pool->next;
		if (!pool->retired)
			pool_retire(pool);
	}
}

void pools_forget(struct context *context)
{
	bool any = false;

	pthread_mutex_lock(&context->lock);
	context->dead = true;
	gate_recompute(context->device);
	for (struct heap *at = &context->heap; at; at = at->next) {
		heap_forget(at);
		any |= at->pools != NULL;
	}
	if (any)
		block_walk(forget_visit, context);
	pthread_mutex_unlock(&context->lock);
	idle_limit_reset(context->device);
	deferred_free_forget(context);
}

void pools_correct(struct context *context, struct block *live)
{
	pthread_mutex_lock(&context->lock);
	if (live)
		live_forget(live);
	for (struct heap *at = &context->heap; at && !live; at = at->next) {
		pools_trim(at, SIZE_MAX);
		pending_forget(at);
	}
	pthread_mutex_unlock(&context->lock);
}
