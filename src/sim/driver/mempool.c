#include "mempool.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

enum { POOL_MAGIC = 0x706f6f6c };

static struct mempool *spare;

void mempool_open(struct mempool *pool, struct device *dev)
{
	*pool = (struct mempool){.magic = POOL_MAGIC, .dev = dev};
	pool->readers = pool->writers = (uint64_t)1 << dev->ordinal;
	for (int i = 0; i < POOL_REUSES; i++)
		pool->reuse[i] = 1;
}

CUresult mempool_create(struct device *dev, struct mempool **out)
{
	struct mempool *pool = spare;

	if (pool)
		spare = pool->next;
	else
		pool = malloc(sizeof(*pool));
	if (!pool)
		return CUDA_ERROR_OUT_OF_MEMORY;
	mempool_open(pool, dev);
	pool->next = dev->pool.next;
	dev->pool.next = pool;
	*out = pool;
	return CUDA_SUCCESS;
}

static void mempool_end(struct mempool *pool)
{
	struct mempool *before = &pool->dev->pool;

	while (before->next != pool)
		before = before->next;
	before->next = pool->next;
	pool->magic = 0;
	pool->next = spare;
	spare = pool;
}

void mempool_destroy(struct mempool *pool)
{
	pool->closed = true;
	mempool_trim(pool, 0);
	if (pool->dev->pool_current == pool)
		pool->dev->pool_current = &pool->dev->pool;
	if (!pool->live)
		mempool_end(pool);
}

CUresult mempool_find(CUmemoryPool handle, struct mempool **out)
{
	struct mempool *pool = (struct mempool *)handle;

	if (!pool || pool->magic != POOL_MAGIC || pool->closed)
		return CUDA_ERROR_INVALID_VALUE;
	*out = pool;
	return CUDA_SUCCESS;
}

/* Bytes that a block of that size takes. */
static size_t span_of(size_t size)
{
	size_t unit = size < SLAB_BELOW ? UNIT : GRANULE;

	return (size + unit - 1) & ~(unit - 1);
}

static struct block *idle_take(struct mempool *pool, size_t size)
{
	for (struct block **at = &pool->idle; *at; at = &(*at)->next) {
		struct block *block = *at;

		if (block->span != span_of(size))
			continue;
		*at = block->next;
		block->next = NULL;
		block->idle = false;
		block->size = size;
		pool->dev->arena.live++;
		pool->dev->arena.live_bytes += size;
		return block;
	}
	return NULL;
}

static CUresult idle_use(struct mempool *pool, struct context *ctx, size_t size,
			 struct block **out)
{
	struct block *block = idle_take(pool, size);
	bool used;

	if (!block)
		return CUDA_ERROR_NOT_FOUND;
	used = block->touched || block->launches != pool->dev->launches;
	memory_enter(ctx, pool->dev, block, BLOCK_ASYNC);
	block->touched = used;
	*out = block;
	return CUDA_SUCCESS;
}

static CUresult fresh_use(struct mempool *pool, struct context *ctx,
			  size_t size, struct block **block)
{
	CUresult res = CUDA_ERROR_OUT_OF_MEMORY;

	if (!pool->most || pool->reserved + span_of(size) <= pool->most)
		res = memory_alloc(ctx, pool->dev, size, BLOCK_ASYNC, block);
	if (res)
		return res;
	pool->reserved += (*block)->span;
	if (pool->reserved_high < pool->reserved)
		pool->reserved_high = pool->reserved;
	return CUDA_SUCCESS;
}

CUresult mempool_alloc(struct mempool *pool, struct context *ctx, size_t size,
		       struct block **block)
{
	CUresult res = CUDA_ERROR_OUT_OF_MEMORY;

	if (size <= pool->dev->arena.capacity)
		res = idle_use(pool, ctx, size, block);
	if (res == CUDA_ERROR_NOT_FOUND)
		res = fresh_use(pool, ctx, size, block);
	if (res && pool->idle) {
		mempool_trim(pool, 0);
		res = fresh_use(pool, ctx, size, block);
	}
	if (res)
		return res;
	(*block)->pool = pool;
	pool->live++;
	pool->used += size;
	if (pool->used_high < pool->used)
		pool->used_high = pool->used;
	return CUDA_SUCCESS;
}

bool mempool_keep(struct block *block)
{
	struct mempool *pool = block->pool;

	pool->live--;
	pool->used -= block->size;
	if (!pool->closed && pool->reserved <= pool->threshold) {
		pool->dev->arena.live--;
		pool->dev->arena.live_bytes -= block->size;
		block->idle = true;
		block->next = pool->idle;
		pool->idle = block;
		return true;
	}
	pool->reserved -= block->span;
	if (pool->closed && !pool->live)
		mempool_end(pool);
	return false;
}

void mempool_trim(struct mempool *pool, uint64_t keep)
{
	struct arena *arena = &pool->dev->arena;

	while (pool->idle && pool->reserved > keep &&
	       pool->reserved - pool->idle->span >= keep) {
		struct block *block = pool->idle;
		bool used = block->touched ||
			    block->launches != pool->dev->launches;

		pool->idle = block->next;
		pool->reserved -= block->span;
		arena->live++;
		arena->live_bytes += block->size;
		arena_free(arena, block, used);
	}
}
