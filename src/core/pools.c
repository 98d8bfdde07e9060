#include <stdlib.h>

#include "hold.h"
#include "pools.h"

struct pool *pool_new(int row, const struct config *config)
{
	const struct pool_ops *ops = pool_ops_at(row);
	struct pool *pool = calloc(1, ops->size);

	if (!pool)
		return NULL;
	pool->ops = ops;
	if (ops->open && !ops->open(pool, config)) {
		free(pool);
		return NULL;
	}
	return pool;
}

void pool_close(struct pool *pool)
{
	if (pool->ops->close)
		pool->ops->close(pool);
	free(pool);
}

static void pools_push(struct context *context, struct pool *pool)
{
	pool->context = context;
	pool->next = context->pools;
	context->pools = pool;
}

static void pools_unlink(struct pool *pool)
{
	struct pool **link = &pool->context->pools;

	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
}

struct pool *pools_active(struct context *context, const struct config *config)
{
	struct pool *pool;

	if (context->pools && !context->pools->retired)
		return context->pools;
	pool = pool_new(context->device->choice, config);
	if (pool)
		pools_push(context, pool);
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

static size_t pool_trim(struct pool *pool)
{
	struct context *context = pool->context;
	struct block *list = pool->ops->trim ? pool->ops->trim(pool) : NULL;
	struct block *block;
	size_t bytes = 0;

	while ((block = list)) {
		list = block->next;
		bytes += block->span;
		block->next = context->pending;
		context->pending = block;
	}
	counter_add(context->device, COUNTER_pending_bytes, bytes);
	return bytes;
}

static void pool_retire(struct pool *pool)
{
	pool->retired = true;
	counter_add(pool->context->device, COUNTER_retired_bytes,
		    pool->live_span);
	pool_close_if_over(pool);
}

size_t pools_swap(struct context *context, struct pool *fresh)
{
	struct pool *old = context->pools;
	size_t bytes = 0;

	pools_push(context, fresh);
	if (old && !old->retired) {
		bytes = pool_trim(old);
		pool_retire(old);
	}
	return bytes;
}

size_t pools_trim(struct context *context)
{
	size_t bytes = 0;

	for (struct pool *pool = context->pools; pool; pool = pool->next)
		bytes += pool_trim(pool);
	return bytes;
}

void pool_lend(struct pool *pool, size_t span)
{
	pool->live_count++;
	pool->live_span += span;
	if (pool->retired) /* swapped out while the driver was asked */
		counter_add(pool->context->device, COUNTER_retired_bytes, span);
}

void pool_return(struct pool *pool, size_t span)
{
	pool->live_count--;
	pool->live_span -= span;
	if (pool->retired)
		counter_sub(pool->context->device, COUNTER_retired_bytes, span);
	pool_close_if_over(pool);
}

/* Under the context's lock. */
static void pending_add(struct context *context, struct block *block)
{
	counter_add(context->device, COUNTER_quarantined_bytes, block->span);
	counter_add(context->device, COUNTER_pending_bytes, block->span);
	counter_add(context->device, COUNTER_idle_bytes, block->span);
	block->next = context->pending;
	context->pending = block;
}

/* Under the context's lock. The driver has taken the memory of a block that
 * its pool counts as live. */
static void block_forget(struct block *block)
{
	device_unreserve(block->pool->context->device, block->span);
	pool_return(block->pool, block->span);
	block_remove(block);
	block_drop(block);
}

void pools_send_back(struct block *block)
{
	struct context *context = block->pool->context;
	struct device *device = context->device;

	pthread_mutex_lock(&context->lock);
	if (context->dead) {
		block_forget(block);
	} else {
		pool_return(block->pool, block->span);
		pending_add(context, block);
	}
	pthread_mutex_unlock(&context->lock);
	atomic_store(&device->pending, true);
}

void pools_take_back(struct block *block)
{
	struct pool *pool = block->pool;
	struct context *context = pool->context;
	struct device *device = context->device;
	size_t span = block->span; /* kept, it may be another thread's */
	bool kept;

	block->epoch = atomic_load(&device->epoch);
	pthread_mutex_lock(&context->lock);
	kept = !context->dead && !pool->retired && pool->ops->free(pool, block);
	if (kept) {
		counter_add(device, COUNTER_idle_bytes, span);
		counter_add(device, COUNTER_quarantined_bytes, span);
		pool_return(pool, span);
	}
	pthread_mutex_unlock(&context->lock);
	if (!kept)
		pools_send_back(block);
}

/* Forgets the blocks that wait in context->pending. */
static void pending_forget(struct context *context)
{
	struct device *device = context->device;
	struct block *block;

	while ((block = context->pending)) {
		context->pending = block->next;
		counter_sub(device, COUNTER_pending_bytes, block->span);
		counter_sub(device, COUNTER_idle_bytes, block->span);
		device_unreserve(device, block->span);
		block_remove(block);
		block_drop(block);
	}
}

/* Forgets a live block that was taken from the table. */
static void live_forget(struct context *context, struct block *block)
{
	counter_sub(context->device, COUNTER_live_bytes, block->size);
	block_forget(block);
}

/* Blocks that another thread is just freeing are not live: that thread finds
 * the context dead, and forgets them. */
static void forget_visit(struct block *block, enum block_state state, void *arg)
{
	struct context *context = arg;

	if (state == BLOCK_LIVE && atomic_load(&block->context) == context &&
	    block_claim(block))
		live_forget(context, block);
}

void pools_forget(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	context->dead = true;
	for (struct pool *pool = context->pools, *next; pool; pool = next) {
		next = pool->next;
		pool_trim(pool);
		if (!pool->retired)
			pool_retire(pool);
	}
	pending_forget(context);
	if (context->pools)
		block_walk(forget_visit, context);
	pthread_mutex_unlock(&context->lock);
	hold_forget(context);
}

void pools_correct(struct block *stale, bool live)
{
	struct context *context = stale->context;

	pthread_mutex_lock(&context->lock);
	if (live) {
		live_forget(context, stale);
	} else {
		pools_trim(context);
		pending_forget(context);
	}
	pthread_mutex_unlock(&context->lock);
}
