/* What pools know of memory that the driver has taken. */
#include <pthread.h>

#include "block/block.h"
#include "context/context_use.h"
#include "deferred_free.h"
#include "gate/gate.h"
#include "idle_limit.h"
#include "pages.h"
#include "placed.h"
#include "planned.h"
#include "noted.h"
#include "pools.h"
#include "region.h"
#include "region_driver.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"
#include "tcache/tcache.h"

/* Under the context's lock. The driver has taken the memory of a block that
 * its pool counts as live. */
void block_forget(struct block *block)
{
	planned_forget(block);
	mempool_leave(block);
	device_unreserve(block_pool(block)->heap->device, block->span);
	pool_checkin(block_pool(block), block->span);
	block_remove(block);
	block_drop(block);
}

/* Forgets the blocks that wait in heap->pending, and the records of regions
 * there if these have gone as well. */
static void pending_forget(struct heap *heap, bool regions)
{
	struct block **at = &heap->pending, *block;
	struct device *device = heap->device;

	while ((block = *at)) {
		if (!regions && block_is_region(block)) {
			at = &block->next;
			continue;
		}
		*at = block->next;
		counter_sub(device, COUNTER_pending_bytes, block->span);
		counter_sub(device, COUNTER_idle_bytes, block->span);
		mempool_leave(block);
		device_unreserve(device, block->span);
		if (block_is_region(block))
			region_lose(block);
		else
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
	noted_free(block_pool(block)->heap->device, block_mempool(block),
		   block);
	block_forget(block);
}

/* Live blocks of contexts that have ended, linked by next. */
static struct block *_Atomic ousted;

void block_oust_later(struct block *block)
{
	block->next = atomic_load(&ousted);
	while (!atomic_compare_exchange_weak(&ousted, &block->next, block))
		;
}

void blocks_oust(void)
{
	struct block *list, *block;
	struct context *context;

	if (!atomic_load_explicit(&ousted, memory_order_relaxed))
		return;
	list = atomic_exchange(&ousted, NULL);
	while ((block = list)) {
		list = block->next;
		context = block_pool(block)->heap->context;
		pthread_mutex_lock(&context->lock);
		live_forget(block);
		pthread_mutex_unlock(&context->lock);
	}
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

	idle_limit_checkin(
		pool->heap->device,
		pool->view.ops->span(&pool->view, block_size(block), 0),
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
	pending_forget(heap, true);
	placed_forget(heap);
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
	blocks_oust();
	pages_reap();
	idle_limit_reset(context->device);
	deferred_free_forget(context);
}

/* The regions say nothing of it: one that had the address is corrected by
 * pools_correct_over. The record of a pool that has ended may be that of
 * another context's pool, of which nothing is lost then but what is idle. */
void pools_correct(struct context *context, struct block *live)
{
	pthread_mutex_lock(&context->lock);
	if (live)
		live_forget(live);
	for (struct heap *at = &context->heap; at && !live; at = at->next) {
		if (!at->places_blocks)
			pools_trim(at, SIZE_MAX);
		pending_forget(at, false);
	}
	pthread_mutex_unlock(&context->lock);
	blocks_oust();
}

/* What is free in the regions is not used again. Blocks that are placed there
 * are CUDA's to free. */
static void regions_correct(struct heap *heap)
{
	struct pool *pool = heap->pools;

	pools_trim(heap, SIZE_MAX);
	pending_forget(heap, true);
	placed_forget(heap);
	if (pool && !pool->retired && pool_places(pool))
		pool_retire(pool);
}

/* What is seen only now is the end of the context. So it waits for those who
 * have regions of it in hand, as a call does that ends one. */
static void context_correct(struct context *context)
{
	while (!context_closing(context))
		context_unused(context);
	pthread_mutex_lock(&context->lock);
	for (struct heap *at = &context->heap; at; at = at->next)
		regions_correct(at);
	pthread_mutex_unlock(&context->lock);
	context_closed(context);
	blocks_oust();
	pages_reap();
}

void pools_correct_over(uint64_t addr, size_t bytes)
{
	struct context *before;

	while ((before = region_context_over(addr, bytes)))
		context_correct(before);
}
