/* The fast path of a request and of a free in the order of a stream. It is that
 * of fast.h, but for these differences:
 *
 * - What was freed in the order of a stream is in magazines of its own. A
 *   request in that stream takes it whatever its epoch.
 * - The block's word has the mark BLOCK_ORDERED while it is live. So a free
 *   that is not in a stream's order finds it on the slow path alone.
 * - What the thread remembers of the stream (struct stream_way) is looked at
 *   while the cache is busy, and after the unit or the table was read: who
 *   clears it has all calls pass, or takes the cache's pool, and while the
 * cache is closed these two say so. What is read of it then leads to no
 * magazine and no block.
 * - One look at a block's owner tells whether it is of the cache's pool and of
 *   the pool of CUDA's that the request is for. */
#ifndef MNM_FAST_STREAM_H
#define MNM_FAST_STREAM_H

#include "fast.h"
#include "order/stream_order.h"
#include "order/streams.h"
#include "stats/mempool_stats.h"

#define RELAXED(object) atomic_load_explicit(object, memory_order_relaxed)

static inline uintptr_t stream_key(const struct CUstream_st *stream,
				   bool per_thread)
{
	return per_thread && !stream ? SOLE_PER_THREAD : (uintptr_t)stream;
}

/* Copies what is known of the stream to cache->way, and returns the key of
 * that; WAY_NONE if nothing is known. */
uintptr_t stream_way_find(struct tcache *cache, uintptr_t key);

/* Hands the first block of the magazine to the program, with these marks. */
ALWAYS enum fast tcache_lend(struct tcache *cache, struct magazine *magazine,
			     size_t span, size_t size, uint64_t marks,
			     uint64_t *addr)
{
	struct block *block = magazine->head;

	magazine_set(magazine, block->next);
	return tcache_checkout(cache, block, span, size, marks,
			       &cache->stats.ordered, addr);
}

/* On FAST_LOOK, fast_look_in has to follow; on FAST_STREAM and FAST_NOT,
 * tcache_alloc_beside. pool: as the request names it, or NULL. */
ALWAYS enum fast tcache_alloc_in(struct tcache *cache, uintptr_t key,
				 const void *pool, size_t size, uint64_t *addr)
{
	struct magazine *magazine;
	struct block *block;
	size_t unit, span;

	tcache_enter(cache);
	unit = atomic_load_explicit(&cache->unit, memory_order_acquire);
	if (!LIKELY(RELAXED(pool ? &cache->way.key : &cache->way.asks) ==
		    key)) {
		tcache_leave(cache);
		return FAST_STREAM;
	}
	span = (size + unit - 1) & -unit;
	magazine = magazine_of(cache,
			       block_key(span, RELAXED(&cache->way.number)));
	if ((pool && !LIKELY(RELAXED(&cache->way.pool) == pool)) ||
	    !LIKELY(magazine))
		goto slow;
	block = magazine->head;
	if (!LIKELY(block) || !LIKELY(block->owner == cache->way.owner))
		goto slow;
	return tcache_lend(cache, magazine, span, size, BLOCK_ORDERED, addr);
slow:
	tcache_leave(cache);
	return FAST_NOT;
}

/* As tcache_keep, for a block that was freed in the order of the stream that is
 * known. It is not counted as freed since the last fence, since it needs
 * none. */
ALWAYS bool tcache_keep_in(struct tcache *cache, struct block *block)
{
	size_t span = block->span;
	struct magazine *magazine;

	if (!LIKELY(figure_add(&cache->stats.idle.left, -span) >= 0) ||
	    !LIKELY(block->owner == cache->way.owner))
		return false;
	magazine = magazine_of(cache,
			       block_key(span, RELAXED(&cache->way.number)));
	if (!LIKELY(magazine))
		return false;
	block->epoch = atomic_load(cache->epoch);
	figure_add(&cache->stats.ordered.left, block->use);
	figure_add(&cache->stats.frees, 1);
	magazine_append(magazine, block);
	return true;
}

ALWAYS enum fast tcache_free_in(struct tcache *cache, uintptr_t key,
				uint64_t addr, struct block **taken)
{
	struct block_table *table;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->table, memory_order_acquire);
	if (!LIKELY(RELAXED(&cache->way.key) == key)) {
		tcache_leave(cache);
		return FAST_STREAM;
	}
	if (!block_take_at(table, addr, BLOCK_ORDERED, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	if (!LIKELY(tcache_keep_in(cache, *taken)))
		return FAST_TAKEN;
	tcache_leave(cache);
	return FAST_DONE;
}

/* The same, by the way of that key, as stream_way_find has returned it, if the
 * thread's last request or free was in another stream, or by a block that was
 * freed in another one, or in none, and is ready, or by a larger one.
 * before: what the function above has returned. Never return FAST_STREAM.
 * Once the request is served or the free is made, and the cache is left,
 * stream_way_used has to follow. */
enum fast tcache_alloc_beside(struct tcache *cache, uintptr_t way_key,
			      enum fast before, const void *pool, size_t size,
			      uint64_t *addr);
enum fast tcache_free_beside(struct tcache *cache, uintptr_t way_key,
			     enum fast before, uint64_t addr,
			     struct block **taken);
void stream_way_marks(struct tcache *cache);

static inline void stream_way_used(struct tcache *cache, uintptr_t way_key)
{
	if (way_key != WAY_NONE && way_key & WAY_MARKS)
		stream_way_marks(cache);
}

static inline void fast_look_in(struct tcache *cache)
{
	fast_look(cache);
	mempool_notice(cache->stats.mempool);
}

/* The calling thread's cache remembers a stream, and the number of the pool of
 * CUDA's, from now on, if what is said of it is still true: stream_changes was
 * `changes` before that was found out. The owner is filled in. */
void stream_way_set(struct tcache *cache, const struct stream_way *way,
		    unsigned int mempool, unsigned int changes);

#endif
