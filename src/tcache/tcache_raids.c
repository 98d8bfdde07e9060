/* Raids: blocks are looked for in the caches of several threads. The context's
 * lock is held around each call that moves blocks, so that one thread moves
 * them at a time. */
#include "tcaches.h"
#include "order/fence.h"

/* After so many looks at a thread that did no work meanwhile, nothing is left
 * to it. */
enum { LOOKS_IDLE = 16 };

/* Whether a cache has blocks of a span, freed in whatever stream. Under the
 * context's lock, so its keys stay; its magazines may change at once. */
static bool tcache_has(const struct tcache *cache, size_t span)
{
	size_t place = tcache_place(cache, span), last = key_last(span);
	const struct magazine *at;

	for (; place < cache->named && cache->keys[place] <= last; place++) {
		at = &cache->magazines[cache->names[place]];
		if (__atomic_load_n(&at->head, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* Under the caches' lock. Closes the context's caches, except one, that have
 * blocks of the span, or all of them (0); they are not busy then. Returns
 * whether there are any. */
static bool others_closed(const struct context *context,
			  const struct tcache *but, size_t span)
{
	bool any = false;

	for (struct tcache *at = caches; at; at = at->next) {
		if (at == but || at->context != context ||
		    (span && !tcache_has(at, span)))
			continue;
		tcache_close(at, CLOSED_OTHER);
		any = true;
	}
	if (any)
		tcaches_wait();
	return any;
}

/* The first closed cache from `at` on, except one; or NULL. */
static struct tcache *other_closed(struct tcache *at, const struct tcache *but)
{
	while (at && (at == but || !(at->closed & CLOSED_OTHER)))
		at = at->next;
	return at;
}

/* Whether the thread of a closed cache is at work, as far as looks tell. */
static bool tcache_works(struct tcache *cache)
{
	int64_t work = cache->stats.frees + cache->stats.hits.most -
		       cache->stats.hits.left;

	if (work == cache->work_seen)
		return ++cache->idle_looks < LOOKS_IDLE;
	cache->work_seen = work;
	cache->idle_looks = 0;
	return true;
}

static bool magazine_has_more(const struct magazine *magazine, size_t kept)
{
	const struct block *block = magazine->head;

	for (; block && kept; kept--)
		block = block->next;
	return block;
}

/* Moves a magazine's blocks from a closed cache into the pool: all, or none if
 * the cache, whose thread works, needs them itself. Returns whether there were
 * any. */
static bool magazine_raid(struct tcache *cache, struct magazine *magazine,
			  bool works, uint64_t below)
{
	if (!magazine_has(magazine, below) ||
	    !magazine_has_more(magazine, works ? magazine_keeps(magazine) : 0))
		return false;
	magazine_move(cache, magazine, SIZE_MAX, below);
	magazine_lose(magazine);
	return true;
}

/* The same for all blocks of a span, freed in whatever stream. */
static bool tcache_raid(struct tcache *cache, size_t span, uint64_t below)
{
	size_t place = tcache_place(cache, span), last = key_last(span);
	bool works = tcache_works(cache), any = false;

	for (; place < cache->named && cache->keys[place] <= last; place++)
		any |= magazine_raid(cache,
				     &cache->magazines[cache->names[place]],
				     works, below);
	return any;
}

/* A thread that had blocks which others wanted keeps none of that span until it
 * has often asked for it itself. So if one thread frees what another takes,
 * they meet in the pool. If several ask and free, each comes to keep what it
 * needs. */
static bool others_raid(const struct context *context, const struct tcache *but,
			size_t span, uint64_t below)
{
	struct tcache *at;
	bool any = false;

	tcaches_lock();
	at = others_closed(context, but, span) ? other_closed(caches, but)
					       : NULL;
	for (; at; at = other_closed(at->next, but)) {
		any = any || tcache_raid(at, span, below);
		tcache_open(at, CLOSED_OTHER);
	}
	tcaches_unlock();
	return any;
}

static bool others_move(const struct context *context, const struct tcache *but,
			size_t least, size_t most, uint64_t below)
{
	struct tcache *at;
	bool any = false;

	tcaches_lock();
	at = others_closed(context, but, 0) ? other_closed(caches, but) : NULL;
	for (; at; at = other_closed(at->next, but)) {
		any |= tcache_move(at, least, most, below);
		tcache_open(at, CLOSED_OTHER);
	}
	tcaches_unlock();
	return any;
}

bool tcaches_raid(struct heap *heap, struct tcache *cache,
		  const struct mnm_request *request, bool all)
{
	struct context *context = heap->context;
	size_t span = request->span, most = span + (all ? request->slack : 0);
	uint64_t below = UINT64_MAX;
	bool any;

	if (heap != &context->heap)
		return false;
	/* Where a free may have to wait, the room of a cache bounds what is
	 * freed before one does. So blocks that are not safe stay there; they
	 * would serve nobody yet. */
	if (fence_room(heap->device) < SIZE_MAX)
		below = atomic_load(&heap->device->safe);
	any = cache && (most > span || tcache_has(cache, span)) &&
	      tcache_move_first(cache, request, most, below);
	if (context->caches == (cache != NULL))
		return any; /* there are no others */
	if (all)
		any |= others_move(context, cache, span, most, below);
	else if (span >= RAID_LEAST)
		any |= others_raid(context, cache, span, below);
	return any;
}

bool tcaches_have(const struct context *context, size_t span)
{
	bool have = false;

	if (tcache_current->context == context || !caches)
		return false;
	tcaches_lock();
	for (struct tcache *at = caches; at && !have; at = at->next)
		have = at->context == context && magazine_find(at, span);
	tcaches_unlock();
	return have;
}

void tcaches_flush_others(struct heap *heap)
{
	const struct tcache *own = tcache_of(heap);

	if (heap->context->caches > (own != NULL))
		tcaches_flush(heap);
}

bool tcache_give_one(struct heap *heap, size_t span)
{
	struct tcache *own = tcache_of(heap);

	return own && tcache_move_one(own, span);
}

void tcaches_flush_largest(struct heap *heap, size_t bytes)
{
	struct tcache *own = tcache_of(heap);

	if (!bytes)
		return;
	tcaches_flush_others(heap);
	if (!own)
		return;
	tcache_move_largest(own, bytes);
	tcache_prune(own);
}

void tcaches_flush(struct heap *heap)
{
	if (heap != &heap->context->heap || !caches)
		return;
	tcaches_lock();
	for (struct tcache *at = caches; at; at = at->next)
		if (at->context == heap->context)
			tcache_close(at, CLOSED_OTHER);
	tcaches_wait();
	for (struct tcache *at = caches; at; at = at->next) {
		if (at->context != heap->context)
			continue;
		tcache_empty(at);
		tcache_open(at, CLOSED_OTHER);
	}
	tcaches_unlock();
}
