/* Pass-through: the requests of a pool that keeps nothing. The driver serves
 * each request and each free.
 *
 * What is left to do is to enter the block into the index, so that a swap, the
 * end of a context and questions about an address find it, and to count it.
 * While the cache is open this file does all of that, with two atomic steps a
 * pair: one enters the block into the index, and one takes it at its free. All
 * else is in mem.c and mem_free.c.
 *
 * As in fast.h, the thread's cache is `busy` while its words are changed, and
 * pass_through.open is NULL while it is closed. It is busy before each driver
 * call and after it, but not during the call. So a block is checked out of the
 * pool before the driver is asked for it, and checked in after the driver has
 * freed it: a pool that is swapped out in between has counted the block by
 * then, and does not end.
 *
 * entry	of the index: entered by a sequentially consistent step into a
 *		free place, after a look for a block that is known at that
 *		address. If there is one, it was given back behind our back, and
 *		the slow path ends it. Nobody else enters a block there, as the
 *		driver has just given the address to this thread.
 * block->word	is changed from live to idle by a sequentially consistent step:
 *		of two frees of one address one succeeds. A block of another
 *		pool is then made live again. It was never gone, or an index
 *		that is just being replaced would lose it. Any other block is
 *		made gone by a store, and its entry is removed by another,
 *		before the driver is called, as it may give the address out
 *		again.
 */
#ifndef MNM_PASS_THROUGH_H
#define MNM_PASS_THROUGH_H

#include "block/block_freelist.h"
#include "fast.h"
#include "tcache_note.h"

/* Under the context's lock. Requests of the active pool pass through the cache
 * from now on, if the pool keeps nothing. The cache is the calling thread's or
 * NULL. */
void pass_through_adopt(struct tcache *cache, struct pool *pool);

/* By the cache's own thread or the one that has closed it, under the context's
 * lock and the caches': tells the pool of all its blocks. */
void pass_through_settle(struct tcache *cache);

/* The slow ends of pass_through_end and pass_through_free_end. */
bool pass_through_failed(struct pool *pool, size_t size, int result);
void pass_through_know_slowly(struct pool *pool, uint64_t addr, size_t size);
void pass_through_sync(struct tcache *cache);
void mem_free_end(struct block *given, bool freed);

/* NULL if the cache is closed, or if its pool keeps blocks. */
static inline struct pool *pass_through_pool(struct tcache *cache)
{
	return atomic_load_explicit(&cache->pass_through.open,
				    memory_order_acquire);
}

/* While the cache is busy. */
static inline void pass_through_checkout(struct tcache *cache, uint64_t blocks,
					 uint64_t bytes)
{
	figure_add(&cache->pass_through.outstanding, blocks);
	figure_add(&cache->pass_through.outstanding_span, bytes);
}

/* To be called before the driver is asked for size bytes. Returns the pool that
 * these will be of, or NULL if the request does not pass through. */
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
	block->span = block->use = size;
	tcache_enter(cache);
	if (!LIKELY(pass_through_pool(cache) == pool))
		goto slow;
	/* Not before tcache_enter: see forget_visit. */
	block_owner_set(block, pool, 0);
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

/* To be called after the driver's call. Returns false if the driver is out of
 * memory, and what others keep idle may make room; nothing was done then. */
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
	tcache_note(cache, MNM_RECORD_ALLOC, MNM_RECORD_DRIVER, addr, size,
		    size);
	return true;
}

/* Makes the live block at addr idle, if it has no marks; *place is its entry
 * then. NULL if there is none. */
ALWAYS struct block *block_take_out(uint64_t addr, _Atomic uint64_t **place)
{
	struct block_home home = block_home(
		atomic_load_explicit(&block_table, memory_order_acquire), addr);
	uint64_t entry = entry_at(home.entry);
	struct block *block;

	for (; entry != ENTRY_EMPTY; entry = entry_at(++home.entry)) {
		block = entry_block(entry);
		if (LIKELY(entry_is(entry, home.tag)) &&
		    LIKELY(block_take_marked(block, addr, 0))) {
			*place = home.entry;
			return block;
		}
	}
	return NULL;
}

/* To be called before a free. Returns the block that the driver is to free;
 * pass_through_free_end has to follow. NULL if nothing was done. */
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
	if (!LIKELY(block_pool(block) == pool)) {
		block_revive(block);
		block = NULL;
		goto leave;
	}
	atomic_store_explicit(&block->word, addr | BLOCK_GONE,
			      memory_order_release);
	atomic_store_explicit(place, ENTRY_REMOVED, memory_order_release);
	tcache_note(cache, MNM_RECORD_FREE, MNM_RECORD_DRIVER, addr, 0, 0);
	figure_add(&cache->stats.live.left, block->use);
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
		  LIKELY(pass_through_pool(cache) == block_pool(block));
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
