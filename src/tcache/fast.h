/* The fast path of a request and of a free: all of it, in the hooks themselves.
 * See tcache.h for what keeps others out.
 *
 * A pair takes one atomic step, no system or driver call, and no lock but for
 * one sync of figures in 256 requests or more (thread_stats.h). These words are
 * shared, and these orders are enough:
 *
 * cache->busy	is written by this thread. Its release in tcache_leave hands the
 *		magazines to the thread that waits for 0 with an acquire.
 * cache->unit	and cache->table are read after busy was set, in program order;
 *		membarrier(2) on the other side makes that the order that
 *		everyone sees. While the cache is closed, no span is found by
 *		the unit, and no block by the table. The acquire makes visible
 *		what the thread that opened it last has changed. The unit is 0
 *		as well if not each multiple of it is a span of the pool:
 *		tcache_alloc_divided serves such requests, after this file has
 *		found nothing, so that other pools don't pay for it.
 * block->word	is changed from live to idle by a sequentially consistent step:
 *		of two frees of one address one succeeds, and the epoch is read
 *		after it. It is changed from idle to live by a release: only the
 *		thread that has taken the block out of a magazine does so.
 * entries	of the table are published with their records. Only the first
 *		entry of the address's tag is tried, by a step on its record's
 *		word. A block that is not found so is looked up again on the
 *		slow path: the table may have been replaced, or the block may be
 *		behind another entry of that tag.
 * device->epoch is read after the step on the word, so that whoever ends the
 *		epoch that is stamped sees the work that the program queued
 *		before its free.
 * device->safe	is read before the block is looked at: what is safe stays safe,
 *		but for stream order, whose end waits until this thread has left
 *		(stream_order.c).
 *
 * cache->stats	are plain words that only this thread changes; others read them
 *		under a lock (thread_stats.c), as words that are never seen half
 *		changed.
 */
#ifndef MNM_FAST_H
#define MNM_FAST_H

#include "block/block.h"
#include "block/block_index.h"
#include "tcache.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)

#define ALWAYS static inline __attribute__((always_inline))

static inline void tcache_enter(struct tcache *cache)
{
	atomic_store_explicit(&cache->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void tcache_leave(struct tcache *cache)
{
	atomic_store_explicit(&cache->busy, 0, memory_order_release);
}

/* The magazine of a key; at most one of its two places is the key's. NULL if
 * none is. */
static inline struct magazine *magazine_of(struct tcache *cache, size_t key)
{
	struct magazine *magazine = magazine_at(cache, key);

	if (LIKELY(magazine->key == key))
		return magazine;
	magazine = magazine_beside(magazine);
	return magazine->key == key ? magazine : NULL;
}

/* What the hook does next. */
enum fast {
	FAST_DONE,   /* nothing */
	FAST_LOOK,   /* it is done, but for fast_look */
	FAST_NOT,    /* nothing was done: the slow path */
	FAST_TAKEN,  /* fast_taken, then mem_free_begin_taken */
	FAST_STREAM, /* see fast_stream.h */
};

/* Hands a block of the cache to the program, with these marks. live: what
 * counts its bytes. */
ALWAYS enum fast tcache_checkout(struct tcache *cache, struct block *block,
				 size_t span, size_t size, uint64_t marks,
				 struct countdown *live, uint64_t *addr)
{
	*addr = block_word(block) & ~BLOCK_BITS;
	block->use = size;
	figure_add(&cache->stats.idle.left, span);
	atomic_store_explicit(&block->word, *addr | marks,
			      memory_order_release);
	if (!LIKELY(figure_add(&live->left, -size) >= 0)) {
		figure_add(&cache->stats.hits.left, -1);
		return FAST_LOOK;
	}
	/* Once in so many requests, others learn what was counted. */
	if (!LIKELY(figure_add(&cache->stats.hits.left, -1) >= 0))
		return FAST_LOOK;
	tcache_leave(cache);
	return FAST_DONE;
}

static inline void fast_look(struct tcache *cache)
{
	tcache_leave(cache);
	thread_stats_sync(&cache->stats);
}

ALWAYS enum fast tcache_alloc(struct tcache *cache, size_t size, uint64_t *addr)
{
	struct magazine *magazine;
	struct block *block;
	size_t unit, span;
	uint64_t safe;

	tcache_enter(cache);
	unit = atomic_load_explicit(&cache->unit, memory_order_acquire);
	span = (size + unit - 1) & -unit;
	magazine = magazine_of(cache, span);
	if (!LIKELY(magazine))
		goto slow;
	safe = atomic_load(cache->safe);
	block = magazine->head;
	if (!LIKELY(block) || !LIKELY(block->epoch < safe))
		goto slow;
	magazine_set(magazine, block->next);
	return tcache_checkout(cache, block, span, size, 0, &cache->stats.live,
			       addr);
slow:
	tcache_leave(cache);
	return FAST_NOT;
}

/* Makes the live block at addr idle, by one step on its word, which keeps its
 * marks. Returns false if it is not live, or has other marks. */
ALWAYS bool block_take_marked(struct block *block, uint64_t addr,
			      uint64_t marks)
{
	uint64_t word = addr | marks;

	return LIKELY(atomic_compare_exchange_strong(&block->word, &word,
						     word + BLOCK_IDLE));
}

static inline uint64_t entry_at(const _Atomic uint64_t *entry)
{
	return atomic_load_explicit(entry, memory_order_acquire);
}

/* Takes the live block at addr. Returns false if there is none, if it has other
 * marks, or if it is behind another of the same tag: that is for the slow path
 * to find out. */
ALWAYS bool block_take_at(struct block_table *table, uint64_t addr,
			  uint64_t marks, struct block **taken)
{
	struct block_home home = block_home(table, addr);
	uint64_t entry = entry_at(home.entry);

	if (!LIKELY(!(addr & BLOCK_BITS)))
		return false;
	while (!LIKELY(entry_is(entry, home.tag))) {
		if (entry == ENTRY_EMPTY)
			return false;
		entry = entry_at(++home.entry);
	}
	*taken = entry_block(entry);
	return block_take_marked(*taken, addr, marks);
}

static inline void magazine_append(struct magazine *magazine,
				   struct block *block)
{
	block->next = NULL;
	if (magazine->head)
		magazine->tail->next = block;
	else
		magazine_set(magazine, block);
	magazine->tail = block;
}

/* Takes a block that was just freed into the cache. Returns false if it is
 * another pool's, or if the cache has no place for it; then fast_taken has to
 * follow. */
static inline bool tcache_keep(struct tcache *cache, struct block *block)
{
	size_t span = block->span;
	struct magazine *magazine;

	if (!LIKELY(figure_add(&cache->stats.idle.left, -span) >= 0) ||
	    !LIKELY(block->owner == owner_of(cache->pool, 0)))
		return false;
	magazine = magazine_of(cache, span);
	if (!LIKELY(magazine))
		return false;
	/* The stamp first; see epoch_end. */
	block->epoch = atomic_load(cache->epoch);
	figure_add(&cache->stats.freed, span);
	figure_add(&cache->stats.live.left, block->use);
	figure_add(&cache->stats.frees, 1);
	magazine_append(magazine, block);
	return true;
}

ALWAYS enum fast tcache_free(struct tcache *cache, uint64_t addr,
			     struct block **taken)
{
	struct block_table *table;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->table, memory_order_acquire);
	if (!block_take_at(table, addr, 0, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	if (!LIKELY(tcache_keep(cache, *taken)))
		return FAST_TAKEN;
	tcache_leave(cache);
	return FAST_DONE;
}

/* Whether the cache is open, and keeps blocks or frees such as are planned. */
static inline bool tcache_keeps_any(const struct tcache *cache)
{
	return atomic_load_explicit(&cache->index, memory_order_relaxed) !=
		       &block_table_none ||
	       atomic_load_explicit(&cache->planned, memory_order_relaxed) !=
		       &block_table_none;
}

/* As tcache_free, if the block has the mark BLOCK_PLANNED or BLOCK_ROOMY. */
enum fast tcache_free_planned(struct tcache *cache, uint64_t addr,
			      struct block **taken);
enum fast tcache_free_marked(struct tcache *cache, uint64_t addr,
			     struct block **taken);

/* The cache does not keep the block, which is idle and belongs to nobody
 * yet. */
static inline void fast_taken(struct tcache *cache, struct block *taken)
{
	figure_add(&cache->stats.idle.left, taken->span);
	tcache_leave(cache);
}

#endif
