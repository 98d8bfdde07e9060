/* Pools that keep nothing: each request is the driver's, and so is each free.
 *
 * What is left to do is to know the block, so that a swap, a context's end and
 * questions about an address find it, and to count it. In plain times that is
 * all of this file, with two atomic steps a pair: one enters the block into the
 * index, and one takes it at its free. All else is mem.c's and mem_free.c's.
 *
 * As in fast.h, the thread's cache is `busy` where its words are changed, and
 * pass_through.open is NULL while it is closed: before each call of the
 * driver's and after it, never meanwhile. So a request is checked out of the
 * pool before, and returned after its block's free: a pool that is swapped out
 * in between has counted the block by then, and does not end.
 *
 * entry	of the index, by a sequentially consistent step into a free
 *		place, after a look for a block that is known at that address:
 *		if there is one it was given back behind our back, and the slow
 *		path ends it. Nobody else enters a block there, as the driver
 *		has just given it to this thread.
 * block->word	from live to idle by a sequentially consistent step: of two
 *		frees of one address one succeeds. One of another pool is live
 *		again then, and was never gone, or an index that is just being
 *		replaced would lose it. Else it is gone by a store, and so is
 *		the entry, before the driver, who may give the address out
 *		again, is called.
 */
#ifndef MNM_PASS_THROUGH_H
#define MNM_PASS_THROUGH_H

#include "block/block_freelist.h"
#include "fast.h"

/* Under the context's lock, for the calling thread's cache or NULL: requests of
 * the active pool pass through from now on, if it keeps nothing. */
void pass_through_adopt(struct tcache *cache, struct pool *pool);

/* By the cache's own thread, or who has closed it; under the context's lock and
 * the caches': the pool has counted all of its blocks. */
void pass_through_settle(struct tcache *cache);

/* The slow ends of pass_through_end and pass_through_free_end. */
bool pass_through_failed(struct pool *pool, size_t size, int result);
void pass_through_know_slowly(struct pool *pool, uint64_t addr, size_t size);
void pass_through_sync(struct tcache *cache);
void mem_free_end(struct block *given, bool freed);

/* NULL: it is closed, or its pool keeps blocks. */
static inline struct pool *pass_through_pool(struct tcache *cache)
{
	return atomic_load_explicit(&cache->pass_through.open,
				    memory_order_acquire);
}

/* While it is busy. */
static inline void pass_through_checkout(struct tcache *cache, uint64_t blocks,
					 uint64_t bytes)
{
	figure_add(&cache->pass_through.outstanding, blocks);
	figure_add(&cache->pass_through.outstanding_span, bytes);
}

/* Before the driver is asked for size bytes: the pool that they are of. NULL:
 * the request does not pass through here. */
ALWAYS struct pool *pass_through_begin(struct tcache *cache, size_t size)
{
	struct pool *pool;

	tcache_enter(cache);
	pool = pass_through_pool(cache);
	if (LIKELY(pool))
		pass_through_checkout(cache, 1, size);
	tcache_leave(cache);
	return pool;
}

ALWAYS enum fast pass_through_know(struct tcache *cache, struct pool *pool,
				   uint64_t addr, size_t size)
{
	struct block *block =
		block_freelist ? block_freelist_pop() : block_new();
	bool look;

	if (!LIKELY(block))
		return FAST_NOT;
	block->span = block->size = size;
	tcache_enter(cache);
	if (!LIKELY(pass_through_pool(cache) == pool))
		goto slow;
	/* Not before: see forget_visit. */
	block_pool_set(block, pool);
	if (!LIKELY(block_enter_alone(block, addr)))
		goto slow;
	look = figure_add(&cache->stats.taken, 1) % LOOK_EVERY == 0;
	look = figure_add(&cache->stats.live.left, -size) < 0 || look;
	figure_add(&cache->stats.reserved, size);
	tcache_leave(cache);
	return LIKELY(!look) ? FAST_DONE : FAST_LOOK;
slow:
	tcache_leave(cache);
	block_drop(block);
	return FAST_NOT;
}

/* After the driver's call. False: it is out of memory, and what others keep
 * idle may make room; nothing was done. */
ALWAYS bool pass_through_end(struct tcache *cache, struct pool *pool,
			     uint64_t addr, size_t size, int result)
{
	if (!LIKELY(!result))
		return pass_through_failed(pool, size, result);
	switch (pass_through_know(cache, pool, addr, size)) {
	case FAST_DONE:
		break;
	case FAST_LOOK:
		pass_through_sync(cache);
		break;
	default:
		pass_through_know_slowly(pool, addr, size);
	}
	return true;
}

/* The live block at addr, which has no marks, is idle then. NULL: none is. */
ALWAYS struct block *block_take_out(uint64_t addr, _Atomic uint64_t **place)
{
	struct block_home home = block_home(
		atomic_load_explicit(&block_table, memory_order_acquire), addr);
	uint64_t entry = entry_at(home.entry);
	struct block *block;

	for (; entry != ENTRY_EMPTY; entry = entry_at(++home.entry)) {
		block = entry_block(entry);
		if (LIKELY(entry_is(entry, home.tag)) &&
		    LIKELY(block_take_plain(block, addr))) {
			*place = home.entry;
			return block;
		}
	}
	return NULL;
}

/* Before a free: the block that the driver is to free, and then
 * pass_through_free_end to be told of. NULL: nothing was done. */
ALWAYS struct block *pass_through_free_begin(struct tcache *cache,
					     uint64_t addr)
{
	struct block *block = NULL;
	_Atomic uint64_t *place;
	struct pool *pool;

	tcache_enter(cache);
	pool = pass_through_pool(cache);
	if (!LIKELY(pool) || !LIKELY(!(addr & BLOCK_BITS)))
		goto leave;
	block = block_take_out(addr, &place);
	if (!LIKELY(block))
		goto leave;
	if (!LIKELY(block->pool == pool)) {
		block_revive(block);
		block = NULL;
		goto leave;
	}
	atomic_store_explicit(&block->word, addr | BLOCK_GONE,
			      memory_order_release);
	atomic_store_explicit(place, ENTRY_REMOVED, memory_order_release);
	figure_add(&cache->stats.live.left, block->size);
	figure_add(&cache->stats.frees, 1);
leave:
	tcache_leave(cache);
	return block;
}

ALWAYS void pass_through_free_end(struct tcache *cache, struct block *block,
				  bool freed)
{
	bool counted;

	tcache_enter(cache);
	counted = LIKELY(freed) &&
		  LIKELY(pass_through_pool(cache) == block->pool);
	if (counted) {
		pass_through_checkout(cache, -(uint64_t)1, -block->span);
		figure_add(&cache->stats.reserved, -block->span);
		figure_add(&cache->stats.given, 1);
	}
	tcache_leave(cache);
	if (!LIKELY(counted))
		mem_free_end(block, freed);
	else if (LIKELY(block_freelist_takes()))
		block_freelist_push(block);
	else
		block_drop(block);
}

#endif
