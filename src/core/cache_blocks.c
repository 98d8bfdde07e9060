/* What is in the caches, and how it moves between them and the pools. The
 * context's lock is held around each call, so one moves at a time. */
#include "caches.h"
#include "pools.h"

/* The least span that is looked for in other threads' caches before memory is
 * taken from the driver, and the most blocks that move at a time. */
enum { RAID_LEAST = 1 << 20, MOVE_MAX = 32 };

/* The magazine that has blocks of a span, or NULL. Others' may change at once.
 */
static struct magazine *magazine_find(struct cache *cache, size_t span)
{
	struct magazine *at = magazine_at(cache, span);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (magazine_span(at) == span && magazine_first(at))
			return at;
	return NULL;
}

/* By its own thread, or who has shut it. */
static void magazine_empty(struct cache *cache, struct magazine *magazine,
			   size_t most)
{
	struct block *block;

	while (most-- && (block = magazine_first(magazine))) {
		magazine_set(magazine, block->next);
		cache->room_left += (int64_t)block->span;
		pools_put(block);
	}
}

void cache_empty(struct cache *cache)
{
	for (size_t i = 0; cache->room_left < cache->room && i < MAGAZINES; i++)
		magazine_empty(cache, &cache->magazines[i], SIZE_MAX);
	cache->pool = NULL;
	cache->unit_mask = 0;
}

void cache_adopt(struct cache *cache, struct pool *pool)
{
	if (!cache || cache->pool == pool || !pool->unit)
		return;
	cache->pool = pool;
	cache->unit_mask = pool->unit - 1;
}

/* The magazine of a span, or an empty one that is its now; or NULL. */
static struct magazine *magazine_for(struct cache *cache, size_t span)
{
	struct magazine *at = magazine_at(cache, span);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (magazine_span(at) == span)
			return at;
	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (!magazine_first(at)) {
			at->span = span;
			return at;
		}
	return NULL;
}

/* Half of the room is left for what is freed next. */
static bool has_room(const struct cache *cache, size_t span)
{
	return cache->room_left >= cache->room / 2 + (int64_t)span;
}

/* One out of the cache's pool; or NULL. */
static struct block *pool_draw(struct cache *cache, size_t span, uint64_t safe)
{
	struct pool *pool = cache->pool;
	struct block *block;

	if (!has_room(cache, span) ||
	    pool->ops->alloc(pool, span, safe, &block) != POOL_HIT)
		return NULL;
	counter_sub(cache->device, COUNTER_idle_bytes, span);
	pool_lend(pool, span);
	cache->room_left -= (int64_t)span;
	return block;
}

/* In front, in their order: they are safe, what is there may not be. */
void cache_refill(struct cache *cache, size_t span, uint64_t safe)
{
	struct magazine *magazine;
	struct block *head = NULL, **link = &head, *block = NULL;

	if (!cache || !cache->pool || atomic_load(&cache->shut))
		return;
	magazine = magazine_for(cache, span);
	for (int i = 0; magazine && i < MOVE_MAX; i++) {
		*link = pool_draw(cache, span, safe);
		if (!*link)
			break;
		block = *link;
		link = &block->next;
	}
	if (!block)
		return;
	*link = magazine_first(magazine);
	if (!*link)
		magazine->tail = block;
	magazine_set(magazine, head);
}

void cache_spill(struct cache *cache, size_t span)
{
	struct magazine *magazine =
		cache && cache->pool ? magazine_for(cache, span) : NULL;

	if (magazine && cache->room_left < (int64_t)span)
		magazine_empty(cache, magazine, MOVE_MAX);
}

/* Whether other threads' caches have blocks of the span; these are shut then,
 * and not busy. */
static bool others_shut(const struct store *store, const struct cache *but,
			size_t span)
{
	bool any = false;

	for (struct cache *at = caches; at; at = at->next) {
		if (at == but || at->context != store->context ||
		    !magazine_find(at, span))
			continue;
		atomic_fetch_or(&at->shut, SHUT_OTHER);
		any = true;
	}
	if (any)
		caches_wait();
	return any;
}

/* Who had blocks that others wanted does not keep that many bytes again: where
 * one thread frees what another takes, they meet in the pool. */
static bool others_raid(const struct store *store, const struct cache *but,
			size_t span)
{
	struct magazine *magazine;
	bool any;

	caches_lock();
	any = others_shut(store, but, span);
	for (struct cache *at = caches; any && at; at = at->next) {
		if (at == but || !(at->shut & SHUT_OTHER))
			continue;
		magazine = magazine_find(at, span);
		if (magazine)
			magazine_empty(at, magazine, SIZE_MAX);
		if (span >= RAID_LEAST && (int64_t)span <= at->room_most)
			at->room_most = (int64_t)span - 1;
		atomic_fetch_and(&at->shut, ~SHUT_OTHER);
	}
	if (any)
		caches_review_rooms(store->context);
	caches_unlock();
	return any;
}

bool caches_raid(struct store *store, struct cache *cache, size_t span,
		 bool others)
{
	struct magazine *magazine = cache ? magazine_find(cache, span) : NULL;
	bool any = magazine;

	if (store != &store->context->store)
		return false;
	if (magazine)
		magazine_empty(cache, magazine, SIZE_MAX);
	if (others || span >= RAID_LEAST)
		any |= others_raid(store, cache, span);
	return any;
}

void caches_flush(struct store *store)
{
	if (store != &store->context->store || !caches)
		return;
	caches_lock();
	for (struct cache *at = caches; at; at = at->next)
		if (at->context == store->context)
			atomic_fetch_or(&at->shut, SHUT_OTHER);
	caches_wait();
	for (struct cache *at = caches; at; at = at->next) {
		if (at->context != store->context)
			continue;
		cache_empty(at);
		atomic_fetch_and(&at->shut, ~SHUT_OTHER);
	}
	caches_unlock();
}
