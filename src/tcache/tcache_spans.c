/* The keys that a cache has magazines for, in order, so that those between two
 * keys are found by a search. */
#include <string.h>

#include "tcache_note.h"
#include "tcaches.h"
#include "fast.h"
#include "pools/pool.h"
#include "stats/mempool_stats.h"

size_t tcache_place(const struct tcache *cache, size_t key)
{
	size_t place = 0, count = cache->named, half;

	/* Each turn halves what is left, whatever it finds: the compiler makes
	 * no jump of that. */
	while (count > 1) {
		half = count / 2;
		place = cache->keys[place + half - 1] < key ? place + half
							    : place;
		count -= half;
	}
	return place + (count && cache->keys[place] < key);
}

/* Makes room at a place, or closes the gap there (-1). */
static void names_move(struct tcache *cache, size_t place, int by)
{
	size_t *key = &cache->keys[place];
	uint16_t *name = &cache->names[place];
	size_t count;

	if (by < 0) {
		count = --cache->named - place;
		memmove(key, key + 1, count * sizeof(*key));
		memmove(name, name + 1, count * sizeof(*name));
	} else {
		count = cache->named++ - place;
		memmove(key + 1, key, count * sizeof(*key));
		memmove(name + 1, name, count * sizeof(*name));
	}
}

void tcache_unname(struct tcache *cache, struct magazine *magazine)
{
	size_t key = magazine->key & ~(size_t)MAGAZINE_LOST;

	names_move(cache, tcache_place(cache, key), -1);
	magazine->tail = NULL;
	__atomic_store_n(&magazine->key, 0, __ATOMIC_RELAXED);
}

void tcache_rename(struct tcache *cache, struct magazine *magazine, size_t key)
{
	size_t before = magazine->key & ~(size_t)MAGAZINE_LOST, place;

	if (before)
		names_move(cache, tcache_place(cache, before), -1);
	place = tcache_place(cache, key);
	names_move(cache, place, 1);
	cache->keys[place] = key;
	cache->names[place] = (uint16_t)(magazine - cache->magazines);
	magazine->raids = magazine->owed = 0;
	__atomic_store_n(&magazine->key, key, __ATOMIC_RELAXED);
}

/* Takes the first block of a magazine, if it is safe; or NULL. */
static struct block *safe_take(const struct tcache *cache,
			       struct magazine *magazine)
{
	struct block *block = magazine->head;

	if (!block || block->epoch >= atomic_load(cache->safe))
		return NULL;
	magazine_set(magazine, block->next);
	mempool_leave(block);
	return block;
}

size_t tcache_span(struct tcache *cache, size_t size)
{
	if (atomic_load_explicit(&cache->index, memory_order_acquire) ==
	    &block_table_none)
		return 0;
	return mnm_size_class_span(&cache->pool->view.classes, size);
}

/* Ends what tcache_enter has begun. Hands the block, if any, to the program for
 * a request of span bytes. Returns the block's own span, or 0. */
static size_t checkout_any(struct tcache *cache, struct block *block,
			   size_t span, size_t size, uint64_t *addr)
{
	size_t given = block ? block->span : 0;
	uint64_t marks = given > span ? BLOCK_ROOMY : 0;

	if (!block) {
		tcache_leave(cache);
		return 0;
	}
	if (tcache_checkout(cache, block, given, size, marks,
			    &cache->stats.live, addr) == FAST_LOOK)
		fast_look(cache);
	return given;
}

bool tcache_alloc_division(struct tcache *cache, size_t size, uint64_t *addr)
{
	const struct mnm_size_classes *classes;
	struct magazine *magazine = NULL;
	struct block *block = NULL;
	size_t span = 0;

	tcache_enter(cache);
	classes = atomic_load_explicit(&cache->divided, memory_order_acquire);
	if (classes) {
		span = mnm_size_class_span(classes, size);
		magazine = magazine_of(cache, span);
	}
	if (magazine)
		block = safe_take(cache, magazine);
	span = checkout_any(cache, block, span, size, addr);
	if (span)
		tcache_note(cache, MNM_RECORD_ALLOC, 0, *addr, size, span);
	return span;
}

size_t tcache_alloc_slack(struct tcache *cache, size_t size, size_t slack,
			  uint64_t *addr)
{
	struct block *block = NULL;
	size_t span, most = SIZE_MAX, place;

	if (!cache)
		return 0;
	tcache_enter(cache);
	span = tcache_span(cache, size);
	if (slack < SIZE_MAX - span)
		most = key_last(span + slack);
	place = span ? tcache_place(cache, span) : cache->named;
	for (; place < cache->named && cache->keys[place] <= most; place++) {
		block = safe_take(cache,
				  &cache->magazines[cache->names[place]]);
		if (block)
			break;
	}
	return checkout_any(cache, block, span, size, addr);
}
