/* The fast path of a request and of a free: all of it, in the doors themselves.
 * See cache.h for what keeps others out.
 *
 * Per pair: one atomic step, no system or driver call, and no lock but for one
 * look at others' figures in 64 requests (cache_look). The words that
 * are shared, and why these orders are enough:
 *
 * cache->busy	is written by this thread. Its release in cache_leave hands the
 *		magazines to who waits for 0 with an acquire.
 * cache->shut	is read after busy was set, in program order; membarrier(2) on
 *		the other side makes that the order that everyone sees. The
 *		acquire takes over what who opened it last has changed.
 * block->word	is changed from live to idle by a sequentially consistent step:
 *		of two frees of one address one succeeds, and the epoch is read
 *		after it. From idle to live by a release: only who has taken the
 *		block out of a magazine does so.
 * table	is published with all that was entered before; an entry that is
 *		found is tried on the block's word. What is not found here is
 *		looked up again on the slow path.
 * device->epoch is read after the step on the word, so that whoever ends the
 *		epoch that is stamped sees the work that the program queued
 *		before its free.
 * device->safe	is read before the block is looked at: what is safe stays safe,
 *		but for stream order, whose end waits until this thread has left
 *		(work.c).
 *
 * The figures are plain words that only this thread changes; others read them
 * under the caches' lock (cache_figures.c), as words that are never seen half
 * changed.
 */
#ifndef MNM_FAST_H
#define MNM_FAST_H

#include "block.h"
#include "block_index.h"
#include "cache.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)

#define ALWAYS static inline __attribute__((always_inline))

enum { LOOK_EVERY = 64 }; /* requests of a thread; see cache_look */

static inline bool cache_enter(struct cache *cache)
{
	atomic_store_explicit(&cache->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return LIKELY(
		!atomic_load_explicit(&cache->shut, memory_order_acquire));
}

static inline void cache_leave(struct cache *cache)
{
	atomic_store_explicit(&cache->busy, 0, memory_order_release);
}

/* At most one of its places is a span's. NULL: none is. */
static inline struct magazine *magazine_of(struct cache *cache, size_t span)
{
	struct magazine *magazine = magazine_at(cache, span);

	if (LIKELY(magazine_span(magazine) == span))
		return magazine;
	magazine = magazine_beside(magazine);
	return magazine_span(magazine) == span ? magazine : NULL;
}

/* What the door does next. */
enum fast {
	FAST_DONE, /* nothing */
	FAST_LOOK, /* it is done; cache_look */
	FAST_NOT,  /* nothing was done: the slow path */
	FAST_UNDO, /* fast_undo, then the slow path */
};

/* The block's next holder is the program. */
static inline enum fast cache_lend(struct cache *cache, struct block *block,
				   size_t size, uint64_t *addr)
{
	uint64_t place = block_word(block) & ~BLOCK_STATE;
	bool look;

	block->size = size;
	*addr = place;
	figure_add(&cache->room_left, block->span);
	atomic_store_explicit(&block->word, place | BLOCK_LIVE,
			      memory_order_release);
	/* Once in so many requests, others' bytes are looked at as well. */
	look = !LIKELY(figure_add(&cache->hits_left, -1) >= 0);
	if (!LIKELY(figure_add(&cache->slack, -size) >= 0))
		look = true;
	cache_leave(cache);
	return look ? FAST_LOOK : FAST_DONE;
}

ALWAYS enum fast cache_alloc(struct cache *cache, size_t size, uint64_t *addr)
{
	struct magazine *magazine;
	struct block *block;
	size_t span;

	if (!cache_enter(cache))
		goto slow;
	span = (size + cache->unit_mask) & ~cache->unit_mask;
	magazine = magazine_of(cache, span);
	block = magazine ? magazine_first(magazine) : NULL;
	if (!LIKELY(block) || !LIKELY(block->epoch < atomic_load(cache->safe)))
		goto slow;
	magazine_set(magazine, block->next);
	return cache_lend(cache, block, size, addr);
slow:
	cache_leave(cache);
	return FAST_NOT;
}

/* One step on the word: the live block at addr is idle then. */
static inline bool block_take_plain(struct block *block, uint64_t addr)
{
	uint64_t live = addr + BLOCK_LIVE;

	return LIKELY(atomic_compare_exchange_strong(&block->word, &live,
						     addr + BLOCK_IDLE));
}

/* False: there is no live block at addr, or it has marks. */
ALWAYS bool block_take_at(uint64_t addr, struct block **taken)
{
	struct block_table *table =
		atomic_load_explicit(&block_table, memory_order_acquire);
	uint64_t hash = block_hash(addr), tag = block_tag(hash), entry;
	size_t place = block_place(table, hash);

	if (!LIKELY(!(addr & BLOCK_BITS)))
		return false;
	for (;; place = block_place_next(table, place)) {
		entry = atomic_load_explicit(&table->entries[place],
					     memory_order_acquire);
		*taken = (struct block *)(entry ^ tag);
		if (LIKELY(entry_is(entry, tag)) &&
		    block_take_plain(*taken, addr))
			return true;
		if (entry == ENTRY_EMPTY)
			return false;
	}
}

/* Takes a block that was just freed. False: the cache has no place for it. */
static inline bool cache_keep(struct cache *cache, struct block *block)
{
	size_t span = block->span, size = block->size;
	struct magazine *magazine = magazine_of(cache, span);

	if (!LIKELY(magazine) || !LIKELY(cache->room_left >= (int64_t)span))
		return false;
	/* The stamp first; see epoch_end. */
	block->epoch = atomic_load(cache->epoch);
	figure_add(&cache->room_left, -span);
	figure_add(&cache->freed, span);
	figure_add(&cache->slack, size);
	figure_add(&cache->frees, 1);
	block->next = NULL;
	if (magazine_first(magazine))
		magazine->tail->next = block;
	else
		magazine_set(magazine, block);
	magazine->tail = block;
	return true;
}

ALWAYS enum fast cache_free(struct cache *cache, uint64_t addr,
			    struct block **taken)
{
	if (!cache_enter(cache) || !block_take_at(addr, taken)) {
		cache_leave(cache);
		return FAST_NOT;
	}
	if (!LIKELY((*taken)->pool == cache->pool) ||
	    !LIKELY(cache_keep(cache, *taken)))
		return FAST_UNDO;
	cache_leave(cache);
	return FAST_DONE;
}

/* The program has it as before. */
static inline void fast_undo(struct cache *cache, struct block *taken)
{
	block_revive(taken);
	cache_leave(cache);
}

#endif
