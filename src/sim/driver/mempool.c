#include "mempool_back.h"

#include <stdlib.h>
#include <unistd.h>

#include "host.h"
#include "memory.h"
#include "owner.h"
#include "stream.h"
#include "world.h"

enum { POOL_MAGIC = 0x706f6f6c };

static struct mempool *spare;

void mempool_open(struct mempool *pool, struct device *dev)
{
	bool is_host = dev == world_host();

	*pool = (struct mempool){.magic = POOL_MAGIC,
				 .dev = dev,
				 .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location.type =
					 is_host ? CU_MEM_LOCATION_TYPE_HOST
						 : CU_MEM_LOCATION_TYPE_DEVICE,
				 .location.id = is_host ? 0 : dev->ordinal};
	if (!is_host)
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
	pool->id = ++world.block_ids;
	pool->next = dev->pool.next;
	dev->pool.next = pool;
	*out = pool;
	return CUDA_SUCCESS;
}

/* Ends a pool that was destroyed, if it is empty. */
void mempool_end_empty(struct mempool *pool)
{
	struct mempool *before = &pool->dev->pool;

	if (!pool->magic || !pool->closed || pool->blocks || pool->idle)
		return;
	while (before->next != pool)
		before = before->next;
	before->next = pool->next;
	if (pool->exporter)
		close(pool->file);
	pool->magic = 0;
	pool->next = spare;
	spare = pool;
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

void mempool_destroy(struct mempool *pool)
{
	pool->closed = true;
	if (pool->dev->pool_current == pool)
		pool->dev->pool_current = &pool->dev->pool;
	mempool_settle_one(pool);
}

/* A block whose free is queued belongs to that free. */
static void blocks_free(struct mempool *pool)
{
	struct block *next;

	for (struct block *block = pool->blocks; block; block = next) {
		next = block->next;
		if (!block->freeing)
			device_free(block);
	}
}

void mempool_reset(struct device *dev, bool all)
{
	struct mempool *next;

	for (struct mempool *pool = &dev->pool; pool; pool = next) {
		next = pool->next;
		if (all)
			blocks_free(pool);
		mempool_recount(pool);
		mempool_trim(pool, 0);
		mempool_end_empty(pool);
	}
}

static void reserve(struct mempool *pool, size_t span)
{
	pool->reserved += span;
	if (pool->reserved_high < pool->reserved)
		pool->reserved_high = pool->reserved;
}

static void use(struct mempool *pool, size_t size)
{
	pool->used += size;
	if (pool->used_high < pool->used)
		pool->used_high = pool->used;
}

void mempool_adopt(struct block *block)
{
	reserve(block->pool, block->span);
	use(block->pool, block->size);
}

void mempool_forget(struct block *block)
{
	struct mempool *pool = block->pool;

	pool->reserved -= block->span;
	pool->used -= block->size;
	mempool_end_empty(pool);
}

static void block_enter(struct mempool *pool, struct block *block, size_t size)
{
	bool used = block->idle && mempool_has_used(block);

	block->idle = false;
	block->pool = pool;
	block->size = size;
	memory_enter(NULL, pool->dev, block, BLOCK_ASYNC);
	block->touched = used;
	if (mempool_is_hosts(pool)) {
		block->touched = true;
		block->advice = (struct advice){0};
	}
	use(pool, size);
}

/* The idle block that the stream may have in the best way, at least in
 * the worst one. */
static struct block **idle_find(struct mempool *pool, struct asker *asker,
				size_t span, enum reuse worst)
{
	struct block **best = NULL;

	for (struct block **at = &pool->idle; *at; at = &(*at)->next) {
		enum reuse how;

		if ((*at)->span != span)
			continue;
		how = reuse_rank(*at, pool->reuse, asker);
		if (how < worst)
			continue;
		best = at;
		if (how == REUSE_OWN)
			break;
		worst = how + 1;
	}
	return best;
}

/* CUDA_ERROR_NOT_FOUND if there is no such block. */
static CUresult idle_use(struct mempool *pool, struct asker *asker, size_t size,
			 enum reuse worst, struct block **out)
{
	struct block **at = idle_find(pool, asker, span_of(size), worst);
	struct block *block;

	if (!at)
		return CUDA_ERROR_NOT_FOUND;
	block = *at;
	if (!reuse_order(asker->stream, block,
			 reuse_rank(block, pool->reuse, asker)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*at = block->next;
	mempool_uncount(block);
	block_enter(pool, block, size);
	mempool_count_live(block, true);
	*out = block;
	return CUDA_SUCCESS;
}

/* A limit is met in granules, so that a block of just its size fits. */
static size_t most_of(const struct mempool *pool)
{
	return (pool->most + GRANULE - 1) & ~(GRANULE - 1);
}

static CUresult fresh_use(struct mempool *pool, size_t size, struct block **out)
{
	struct block *block;
	CUresult res;

	if (pool->most && pool->reserved + span_of(size) > most_of(pool))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (pool->dev == world_host() && !host_has_room(span_of(size)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = arena_alloc(&pool->dev->arena, size, &block);
	if (res)
		return res;
	reserve(pool, block->span);
	block_enter(pool, block, size);
	*out = block;
	return CUDA_SUCCESS;
}

static CUresult pool_use(struct mempool *pool, struct asker *asker, size_t size,
			 struct block **out)
{
	CUresult res = idle_use(pool, asker, size, REUSE_BY_LUCK, out);

	if (res != CUDA_ERROR_NOT_FOUND)
		return res;
	res = fresh_use(pool, size, out);
	if (res && pool->idle) {
		mempool_give_back(pool);
		res = fresh_use(pool, size, out);
	}
	/* Only now may the stream be made to wait. */
	if (res)
		res = idle_use(pool, asker, size, REUSE_WAITING, out);
	return res == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_OUT_OF_MEMORY : res;
}

CUresult mempool_alloc(struct mempool *pool, struct stream *stream, size_t size,
		       struct block **block)
{
	struct asker asker = {.stream = stream};
	CUresult res;

	if (size > pool->dev->arena.capacity)
		return CUDA_ERROR_OUT_OF_MEMORY;
	world_track();
	res = pool_use(pool, &asker, size, block);
	fence_clear(&asker.before);
	return res;
}

/* Puts a block into its pool, which counts it as used still. */
static void give(struct block *block)
{
	struct mempool *pool = block->pool;

	block->counted = true;
	mempool_count_live(block, false);
	block->idle = true;
	block->next = pool->idle;
	pool->idle = block;
}

void mempool_give(struct block *block)
{
	struct mempool *pool = block->pool;

	give(block);
	mempool_uncount(block);
	if (pool->closed)
		mempool_settle_one(pool);
}

/* A GPU showed this while other streams had work. */
void mempool_give_at_once(struct block *block)
{
	struct mempool *pool = block->pool;

	give(block);
	pool->overcounts = true;
	if (pool->closed)
		mempool_settle_one(pool);
}
