#include "mempool_back.h"

#include <stdlib.h>

#include "memory.h"
#include "owner.h"
#include "stream.h"
#include "world.h"

void mempool_count_live(struct block *block, bool live)
{
	struct arena *arena = &block->dev->arena;

	if (live) {
		arena->live++;
		arena->live_bytes += block->size;
	} else {
		arena->live--;
		arena->live_bytes -= block->size;
	}
}

/* Whether a block may have been written to: see device_free(). */
bool mempool_has_used(const struct block *block)
{
	return block->touched || block->launches != block->dev->launches;
}

void mempool_uncount(struct block *block)
{
	if (block->counted)
		block->pool->used -= block->size;
	block->counted = false;
}

/* Gives an idle block, which is in no list, back to the device. */
static void block_release(struct mempool *pool, struct block *block)
{
	struct freed *freed = block->freed;

	mempool_uncount(block);
	pool->reserved -= block->span;
	owner_take(block->addr);
	mempool_count_live(block, true); /* the arena counts it as freed now */
	arena_free(&pool->dev->arena, block, mempool_has_used(block));
	if (freed)
		fence_clear(&freed->fence);
	free(freed);
}

/* Whether a block that is idle can go back to the device. A stream that is
 * being destroyed is told. */
typedef bool can_go(const struct mempool *pool, const struct block *block,
		    const struct stream *ending);

static bool is_known(const struct mempool *pool, const struct block *block,
		     const struct stream *ending)
{
	(void)pool;
	(void)ending;
	return freed_is_known(block->freed);
}

/* To look whether a free happens to be complete is what the opportunistic
 * policy allows. Since the memory may then go to anybody, the host knows. */
static bool is_done(const struct mempool *pool, const struct block *block,
		    const struct stream *ending)
{
	(void)ending;
	if (freed_is_known(block->freed))
		return true;
	return pool->reuse[OPPORTUNISTIC] && freed_is_done(block->freed) &&
	       past_join(&world.known, &block->freed->fence.past);
}

/* What goes back from a stream's end may go to anybody as well. */
static bool is_left(const struct mempool *pool, const struct block *block,
		    const struct stream *ending)
{
	const struct freed *freed = block->freed;

	(void)pool;
	return freed && freed->stream == ending &&
	       freed->lane == ending->lane && freed_is_done(freed) &&
	       past_join(&world.known, &freed->fence.past);
}

/* Gives back what can go, as long as the pool then still holds `keep` bytes, or
 * until it holds no more than `enough`. */
static void give_back(struct mempool *pool, uint64_t keep, uint64_t enough,
		      can_go *may, const struct stream *ending)
{
	struct block **at = &pool->idle;

	while (*at && pool->reserved > enough) {
		struct block *block = *at;

		if (pool->reserved - block->span < keep ||
		    !may(pool, block, ending)) {
			at = &block->next;
			continue;
		}
		*at = block->next;
		block_release(pool, block);
	}
}

void mempool_give_back(struct mempool *pool)
{
	give_back(pool, 0, 0, is_done, NULL);
}

/* As documented, pools that others may open give nothing back. */
void mempool_trim(struct mempool *pool, uint64_t keep)
{
	if (!pool->handles || pool->closed)
		give_back(pool, keep, 0, is_known, NULL);
}

void mempool_recount(struct mempool *pool)
{
	if (!pool->overcounts)
		return;
	for (struct block *block = pool->idle; block; block = block->next)
		mempool_uncount(block);
	pool->overcounts = false;
}

/* What a pool that was destroyed holds is of no use any more. */
void mempool_settle_one(struct mempool *pool)
{
	mempool_recount(pool);
	if (!pool->handles || pool->closed)
		give_back(pool, 0, pool->closed ? 0 : pool->threshold, is_known,
			  NULL);
	mempool_end_empty(pool);
}

void mempool_settle(void)
{
	if (!world.tracking)
		return;
	for (int i = 0; i <= world.device_count; i++) {
		struct mempool *pool = &world.devices[i].pool, *next;

		for (; pool; pool = next) {
			next = pool->next;
			mempool_settle_one(pool);
		}
	}
}

void mempool_leave(const struct stream *stream)
{
	if (!world.tracking)
		return;
	for (int i = 0; i <= world.device_count; i++)
		for (struct mempool *pool = &world.devices[i].pool; pool;
		     pool = pool->next)
			if (!pool->handles && !pool->closed)
				give_back(pool, 0, pool->threshold, is_left,
					  stream);
}

/* Nobody asks a pool that was destroyed, so what is freed there goes on to
 * anybody. That counts as known to the host. */
void mempool_reach(struct mempool *pool, const struct stream *stream)
{
	struct block **at = &pool->idle;

	while (pool->closed && *at) {
		struct block *block = *at;
		struct freed *freed = block->freed;
		bool ends = freed && freed->stream == stream &&
			    freed->position == stream->completed + 1;

		if (!ends && !freed_is_known(freed)) {
			at = &block->next;
			continue;
		}
		if (ends)
			past_join(&world.known, &freed->fence.past);
		*at = block->next;
		block_release(pool, block);
	}
	mempool_end_empty(pool);
}
