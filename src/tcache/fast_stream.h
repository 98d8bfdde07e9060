/* The fast path of a request and of a free in the order of a stream. It is that
 * of fast.h, but for these differences:
 *
 * - What was freed in the order of a stream is in magazines of its own. A
 *   request in that stream takes it whatever its epoch.
 * - The block's word has the mark BLOCK_ORDERED while it is live. So a free
 *   that is not in a stream's order finds it on the slow path alone.
 * - What the thread remembers of the stream (struct stream_way) is checked
 *   after `busy` was set: whoever changes it then makes all calls pass, or
 *   closes the caches. */
#ifndef MNM_FAST_STREAM_H
#define MNM_FAST_STREAM_H

#include "fast.h"
#include "order/stream_order.h"
#include "order/streams.h"

/* What a thread remembers of a stream. */
struct stream_way {
	uintptr_t key; /* SOLE_NONE: nothing is remembered */
	struct tcache *cache;
	unsigned int changes; /* stream_changes at that time */
	unsigned int number;  /* of the stream, not 0 */
	const void *pool;     /* of CUDA's, as requests name it, or NULL */
	uint64_t tag;         /* its number */
	int64_t *room;        /* bytes until that pool has a new maximum */
	uint64_t unused;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct stream_way) == 64, "as stream_way_of has it");

enum { STREAM_WAYS = 8 };
extern __thread struct stream_way stream_ways[STREAM_WAYS];

static inline uintptr_t stream_key(const struct CUstream_st *stream,
				   bool per_thread)
{
	return stream       ? (uintptr_t)stream
	       : per_thread ? SOLE_PER_THREAD
			    : SOLE_LEGACY;
}

/* Handles are addresses of objects that are some hundred bytes apart. The
 * address is computed once: the compiler would do so for each use. */
ALWAYS struct stream_way *stream_way_of(uintptr_t key)
{
	uintptr_t offset = (key ^ key >> 4) & (STREAM_WAYS - 1) << 6;
	char *way = (char *)stream_ways + offset;

	__asm__("" : "+r"(way));
	return (struct stream_way *)way;
}

/* Whether the way is that of the stream. What else it says is known only once
 * the cache is busy. */
ALWAYS bool stream_way_is(const struct stream_way *way, uintptr_t key,
			  const struct tcache *cache)
{
	return LIKELY(way->key == key) && LIKELY(way->cache == cache);
}

static inline bool stream_way_holds(const struct stream_way *way)
{
	return LIKELY(
		way->changes ==
		atomic_load_explicit(&stream_changes, memory_order_acquire));
}

/* On FAST_LOOK, fast_look and mempool_notice have to follow. */
ALWAYS enum fast tcache_alloc_in(const struct stream_way *way, size_t size,
				 uint64_t *addr)
{
	struct tcache *cache = way->cache;
	struct magazine *magazine;
	struct block *block;
	size_t unit, span;
	bool look;

	tcache_enter(cache);
	unit = atomic_load_explicit(&cache->unit, memory_order_acquire);
	span = (size + unit - 1) & -unit;
	magazine = magazine_of(cache, block_key(span, way->number));
	if (!LIKELY(magazine) || !stream_way_holds(way))
		goto slow;
	block = magazine->head;
	if (!LIKELY(block) ||
	    !LIKELY(block->use >> USE_BITS == way->tag >> USE_BITS))
		goto slow;
	magazine_set(magazine, block->next);
	*addr = block_word(block) & ~BLOCK_BITS;
	block->use = way->tag | size;
	figure_add(&cache->stats.idle.left, span);
	look = figure_add(way->room, -size) < 0;
	atomic_store_explicit(&block->word, *addr | BLOCK_ORDERED,
			      memory_order_release);
	look |= figure_add(&cache->stats.live.left, -size) < 0;
	look |= figure_add(&cache->stats.hits.left, -1) < 0;
	if (!LIKELY(!look))
		return FAST_LOOK;
	tcache_leave(cache);
	return FAST_DONE;
slow:
	tcache_leave(cache);
	return FAST_NOT;
}

/* Makes the live block at addr idle, which was asked for in a stream's order.
 * Returns false as block_take_at does. */
ALWAYS bool block_take_ordered(struct block_table *table, uint64_t addr,
			       struct block **taken)
{
	struct block_home home = block_home(table, addr);
	uint64_t entry = entry_at(home.entry), word = addr | BLOCK_ORDERED;

	if (!LIKELY(!(addr & BLOCK_BITS)))
		return false;
	while (!LIKELY(entry_is(entry, home.tag))) {
		if (entry == ENTRY_EMPTY)
			return false;
		entry = entry_at(++home.entry);
	}
	*taken = entry_block(entry);
	return LIKELY(atomic_compare_exchange_strong(&(*taken)->word, &word,
						     word + BLOCK_IDLE));
}

/* As tcache_keep, for a block that was freed in the order of the way's
 * stream. It is not counted as freed since the last fence, since it needs
 * none. */
static inline bool tcache_keep_in(const struct stream_way *way,
				  struct block *block)
{
	struct tcache *cache = way->cache;
	size_t span = block->span;
	struct magazine *magazine;

	if (!LIKELY(figure_add(&cache->stats.idle.left, -span) >= 0) ||
	    !LIKELY(block->pool == cache->pool) || !stream_way_holds(way) ||
	    !LIKELY(block->use >> USE_BITS == way->tag >> USE_BITS))
		return false;
	magazine = magazine_of(cache, block_key(span, way->number));
	if (!LIKELY(magazine))
		return false;
	block->epoch = atomic_load(cache->epoch);
	figure_add(way->room, block->use - way->tag);
	figure_add(&cache->stats.live.left, block->use - way->tag);
	figure_add(&cache->stats.frees, 1);
	magazine_append(magazine, block);
	return true;
}

ALWAYS enum fast tcache_free_in(const struct stream_way *way, uint64_t addr,
				struct block **taken)
{
	struct tcache *cache = way->cache;
	struct block_table *table;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->table, memory_order_acquire);
	if (!block_take_ordered(table, addr, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	if (!LIKELY(tcache_keep_in(way, *taken)))
		return FAST_TAKEN;
	tcache_leave(cache);
	return FAST_DONE;
}

/* The calling thread's way of a stream is filled. */
void stream_way_set(const struct stream_way *way);

#endif
