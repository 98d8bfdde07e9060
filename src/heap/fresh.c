#include "fresh.h"

#include <cuda.h>

#include "block/block.h"
#include "order/fence.h"
#include "pools.h"
#include "tcache/pass_through.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

void fresh_cancel(struct pool *pool, size_t span)
{
	struct context *context = pool->heap->context;

	pthread_mutex_lock(&context->lock);
	pool_checkin(pool, span);
	pthread_mutex_unlock(&context->lock);
}

/* A record for a fresh block. It is made only after CUDA has given the memory,
 * as CUDA's own needs come first. */
static struct block *block_made(struct pool *pool, size_t span, size_t size,
				unsigned int mempool)
{
	struct block *block = block_new();

	if (!block)
		return NULL;
	block_owner_set(block, pool, mempool);
	block->span = span;
	block->use = size;
	return block;
}

/* The context of the block that is known at an address which the driver has
 * just given out, or NULL. To be asked before block_enter, which ends that
 * block: its record may serve again at once then. */
static struct context *context_before(uint64_t addr)
{
	uint64_t word;
	const struct block *block = block_find(addr, &word);
	const struct pool *pool = block ? block_pool(block) : NULL;

	return pool ? pool->heap->context : NULL;
}

/* Counts a request that a fresh block serves. */
static void block_count(struct block *block, uint64_t addr)
{
	unsigned int mempool = block_mempool(block);

	device_count_alloc(block_pool(block)->heap->device, block_size(block),
			   COUNTER_misses);
	if (!mempool)
		return;
	mempool_reserve(mempool, (int64_t)block->span);
	mempool_count(mempool, (int64_t)block_size(block));
	block_mark(block, addr, BLOCK_ORDERED);
}

/* Makes a fresh block known. Returns false if it can't be: the program has the
 * memory all the same, and its free goes to the driver like that of foreign
 * memory. */
static bool block_know(struct block *block, uint64_t addr)
{
	struct context *context = block_pool(block)->heap->context;
	struct context *before;
	struct block *stale = NULL;
	bool known = false;
	uint64_t word;

	pools_correct_over(addr, block->span);
	before = context_before(addr);
	pthread_mutex_lock(&context->lock);
	if (!context->dead)
		known = block_enter(block, addr, &stale, &word);
	if (known)
		block_count(block, addr);
	pthread_mutex_unlock(&context->lock);
	if (stale && before)
		pools_correct(before, word_is_live(word) ? stale : NULL);
	if (!known)
		block_drop(block);
	return known;
}

void fresh_know(struct pool *pool, size_t span, size_t size,
		unsigned int mempool, uint64_t addr)
{
	struct block *block = block_made(pool, span, size, mempool);

	if (block && block_know(block, addr))
		return;
	device_unreserve(pool->heap->device, span);
	fresh_cancel(pool, span);
}

/* The fast path could not enter the block: as an example, the cache was closed
 * or the pool was swapped out while the driver was called. */
void pass_through_know_slowly(struct pool *pool, uint64_t addr, size_t size)
{
	struct device *device = pool->heap->device;

	device_claim(device, size);
	device_reserve(device, size);
	counter_add(device, COUNTER_driver_allocs, 1);
	fresh_know(pool, size, size, 0, addr);
}

bool pass_through_failed(struct pool *pool, size_t size, int result)
{
	struct device *device = pool->heap->device;

	device_check(device, result);
	fresh_cancel(pool, size); /* the pool may end */
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return false;
	counter_add(device, COUNTER_failures, 1);
	return true;
}
