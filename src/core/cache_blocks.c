/* What is in the caches, and how it moves between them and the pools. The
 * context's lock is held around each call, so one moves at a time. */
#include "caches.h"
#include "direct.h"
#include "pools.h"

/* The least span that is looked for in other threads' caches before memory is
 * taken from the driver, and the most blocks that move at a time. */
enum { RAID_LEAST = 1 << 20, MOVE_MAX = 32 };

enum { WANTED_OFTEN = 64 }; /* times that an empty magazine is refused */

/* The magazine that has blocks of a span, or NULL. Others' may change at once.
 */
static struct magazine *magazine_find(struct cache *cache, size_t span)
{
	struct magazine *at = magazine_at(cache, span);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (__atomic_load_n(&at->span, __ATOMIC_RELAXED) == span &&
		    __atomic_load_n(&at->head, __ATOMIC_RELAXED))
			return at;
	return NULL;
}

/* By its own thread, or who has shut it. */
static void magazine_empty(struct cache *cache, struct magazine *magazine,
			   size_t most)
{
	struct block *block;

	while (most-- && (block = magazine->head)) {
		magazine_set(magazine, block->next);
		cache->room_left += (int64_t)block->span;
		pools_put(block);
	}
}

/* Likewise: those of a range of spans. Whether there were any. */
static bool cache_move(struct cache *cache, size_t least, size_t most)
{
	struct magazine *at;
	bool any = false;

	for (size_t i = 0; i < cache->named; i++) {
		at = &cache->magazines[cache->names[i]];
		if (!at->head || at->span < least || at->span > most)
			continue;
		magazine_empty(cache, at, SIZE_MAX);
		any = true;
	}
	return any;
}

void cache_empty(struct cache *cache)
{
	if (cache->room_left < cache->room)
		cache_move(cache, 0, SIZE_MAX);
	direct_settle(cache);
	cache_serve(cache, NULL);
}

void cache_adopt(struct cache *cache, struct pool *pool)
{
	if (!cache || !pool->unit ||
	    (cache->pool == pool &&
	     (cache->shut || cache->table == block_table)))
		return;
	caches_lock();
	cache_serve(cache, pool);
	caches_unlock();
}

/* The magazine of a span, or an empty one that is its now; or NULL. One that
 * was another's is, so that spans don't take turns, only if wanted often. */
static struct magazine *magazine_for(struct cache *cache, size_t span)
{
	struct magazine *at = magazine_at(cache, span);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (at->span == span)
			return at;
	for (int i = 0; i < 2; i++, at = magazine_beside(at)) {
		if (at->head)
			continue;
		if (at->span && ++at->wanted % WANTED_OFTEN)
			continue;
		if (!at->span)
			cache->names[cache->named++] =
				(uint16_t)(at - cache->magazines);
		__atomic_store_n(&at->span, span, __ATOMIC_RELAXED);
		return at;
	}
	return NULL;
}

/* Behind another one, or first. */
static void magazine_put(struct magazine *magazine, struct block *block,
			 struct block *before)
{
	block->next = before ? before->next : magazine->head;
	if (!block->next)
		magazine->tail = block;
	if (before)
		before->next = block;
	else
		magazine_set(magazine, block);
}

/* Half of the room is left for what is freed next. */
static bool has_room(const struct cache *cache, size_t span)
{
	return cache->room_left >= cache->room / 2 + (int64_t)span;
}

void cache_refill(struct cache *cache, size_t span, uint64_t safe)
{
	struct pool *pool = cache ? cache->pool : NULL;
	struct block *block, *before = NULL;
	struct magazine *magazine;

	if (!pool || atomic_load(&cache->shut))
		return;
	magazine = magazine_for(cache, span);
	for (int i = 0; magazine && i < MOVE_MAX; i++) {
		if (!has_room(cache, span) ||
		    pool->ops->alloc(pool, span, 0, safe, &block) != POOL_HIT)
			return;
		counter_sub(cache->device, COUNTER_idle_bytes, span);
		pool_lend(pool, span);
		/* They are safe, what is there may not be. */
		magazine_put(magazine, block, before);
		before = block;
		cache->room_left -= (int64_t)span;
	}
}

bool cache_put(struct cache *cache, struct block *block)
{
	struct magazine *magazine;

	if (!cache || cache->pool != block->pool || atomic_load(&cache->shut))
		return false;
	magazine = magazine_for(cache, block->span);
	if (!magazine)
		return false;
	if (cache->room_left < (int64_t)block->span)
		magazine_empty(cache, magazine, MOVE_MAX);
	if (cache->room_left < (int64_t)block->span)
		return false;
	magazine_put(magazine, block, magazine->head ? magazine->tail : NULL);
	cache->room_left -= (int64_t)block->span;
	return true;
}

/* Under the caches' lock: those of the context, but for one, that have blocks
 * of the span, or all (0), are shut, and not busy. Whether there are any. */
static bool others_shut(const struct context *context, const struct cache *but,
			size_t span)
{
	bool any = false;

	for (struct cache *at = caches; at; at = at->next) {
		if (at == but || at->context != context ||
		    (span && !magazine_find(at, span)))
			continue;
		cache_shut(at, SHUT_OTHER);
		any = true;
	}
	if (any)
		caches_wait();
	return any;
}

/* The first of the others that is shut, from one on; or NULL. */
static struct cache *other_shut(struct cache *at, const struct cache *but)
{
	while (at && (at == but || !(at->shut & SHUT_OTHER)))
		at = at->next;
	return at;
}

/* Who had blocks that others wanted does not keep that many bytes again: where
 * one thread frees what another takes, they meet in the pool. */
static bool others_raid(const struct context *context, const struct cache *but,
			size_t span)
{
	struct cache *at;
	bool any;

	caches_lock();
	any = others_shut(context, but, span);
	for (at = any ? other_shut(caches, but) : NULL; at;
	     at = other_shut(at->next, but)) {
		cache_move(at, span, span);
		if ((int64_t)span <= at->room_most)
			at->room_most = (int64_t)span - 1;
		cache_open(at, SHUT_OTHER);
	}
	if (any)
		caches_review_rooms(context);
	caches_unlock();
	return any;
}

static bool others_move(const struct context *context, const struct cache *but,
			size_t least, size_t most)
{
	struct cache *at;
	bool any = false;

	caches_lock();
	at = others_shut(context, but, 0) ? other_shut(caches, but) : NULL;
	for (; at; at = other_shut(at->next, but)) {
		any |= cache_move(at, least, most);
		cache_open(at, SHUT_OTHER);
	}
	caches_unlock();
	return any;
}

bool caches_raid(struct store *store, struct cache *cache, size_t span,
		 size_t slack, bool all)
{
	size_t most = span + (all ? slack : 0);
	bool any;

	if (store != &store->context->store)
		return false;
	any = cache && (most > span || magazine_find(cache, span)) &&
	      cache_move(cache, span, most);
	if (all)
		any |= others_move(store->context, cache, span, most);
	else if (span >= RAID_LEAST)
		any |= others_raid(store->context, cache, span);
	return any;
}

void caches_flush(struct store *store)
{
	if (store != &store->context->store || !caches)
		return;
	caches_lock();
	for (struct cache *at = caches; at; at = at->next)
		if (at->context == store->context)
			cache_shut(at, SHUT_OTHER);
	caches_wait();
	for (struct cache *at = caches; at; at = at->next) {
		if (at->context != store->context)
			continue;
		cache_empty(at);
		cache_open(at, SHUT_OTHER);
	}
	caches_unlock();
}
