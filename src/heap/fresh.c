#include "fresh.h"

#include <cuda.h>

#include "block/block.h"
#include "order/fence.h"
#include "pools.h"
#include "tcache/pass_through.h"
#include "stats/counter.h"

void fresh_cancel(struct pool *pool, size_t span)
{
	struct context *context = pool->heap->context;

	pthread_mutex_lock(&context->lock);
	pool_checkin(pool, span);
	pthread_mutex_unlock(&context->lock);
}

/* A record for a fresh block. Only now, as CUDA's own needs come first. */
static struct block *block_made(struct pool *pool, size_t span, size_t size)
{
	struct block *block = block_new();

	if (!block)
		return NULL;
	block_pool_set(block, pool);
	block->span = span;
	block->size = size;
	return block;
}

/* The context of a block that is known at an address that the driver has just
 * given out; or NULL. Asked before that ends the record, as it may serve again
 * at once then. */
static struct context *context_before(uint64_t addr)
{
	uint64_t word;
	const struct block *block = block_find(addr, &word);
	const struct pool *pool = block ? block_pool(block) : NULL;

	return pool ? pool->heap->context : NULL;
}

/* Makes a fresh block known. False: it can't be; the program has it all the
 * same, and its free goes to the driver as a foreign one. */
static bool block_know(struct block *block, uint64_t addr)
{
	struct heap *heap = block->pool->heap;
	struct context *context = heap->context;
	struct context *before = context_before(addr);
	struct block *stale = NULL;
	bool known = false;
	uint64_t word;

	pthread_mutex_lock(&context->lock);
	if (!context->dead)
		known = block_enter(block, addr, &stale, &word);
	if (known)
		device_count_alloc(heap->device, block->size, COUNTER_misses);
	pthread_mutex_unlock(&context->lock);
	if (stale && before)
		pools_correct(before, word_is_live(word) ? stale : NULL);
	if (!known)
		block_drop(block);
	return known;
}

void fresh_know(struct pool *pool, size_t span, size_t size, uint64_t addr)
{
	struct block *block = block_made(pool, span, size);

	if (block && block_know(block, addr))
		return;
	device_unreserve(pool->heap->device, span);
	fresh_cancel(pool, span);
}

/* Meanwhile something has begun that is not plain, or ended, or the pool was
 * swapped out. */
void pass_through_know_slowly(struct pool *pool, uint64_t addr, size_t size)
{
	struct device *device = pool->heap->device;

	device_claim(device, size);
	device_reserve(device, size);
	counter_add(device, COUNTER_driver_allocs, 1);
	fresh_know(pool, size, size, addr);
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
