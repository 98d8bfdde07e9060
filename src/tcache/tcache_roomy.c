/* Requests that are served by larger blocks of the thread's own cache, and the
 * frees of such blocks, without a lock. What happens is noted and told later
 * (roomy.h): the mark BLOCK_ROOMY of a live block says that its free has to be
 * noted as well.
 *
 * A block of the very span goes first, also one that has to be taken out of the
 * pool or out of another thread's cache. Looking there is for the slow path. */
#include "tcaches.h"
#include "fast.h"
#include "stats/mempool_stats.h"
#include "tcache_note.h"

/* A lease is over after so many frees, as more or less may pay off by then; and
 * sooner if it has nothing. */
enum { LEASE_FREES = 1024, LEASE_WAIT = 256 };

void tcache_settle(struct tcache *cache)
{
	struct roomy *roomy = &cache->roomy;
	unsigned int sharers = atomic_load(&cache->sharers);

	tcache_source->lease(cache->device, roomy->events, roomy->count,
			     sharers ? sharers : 1, &roomy->lease);
	roomy->count = 0;
	roomy->until = cache->stats.frees +
		       (roomy->lease.left ? LEASE_FREES : LEASE_WAIT);
}

bool roomy_may(struct tcache *cache)
{
	const struct device *device = cache->device;
	const struct roomy *roomy = &cache->roomy;

	if (!device || device->oom_seen)
		return false;
	if (roomy->count == ROOMY_EVENTS ||
	    cache->stats.frees >= roomy->until ||
	    roomy->lease.turn != atomic_load_explicit(&device->idle_turn,
						      memory_order_relaxed))
		tcache_settle(cache);
	return roomy->lease.left;
}

void roomy_make_room(struct tcache *cache)
{
	if (cache->roomy.count == ROOMY_EVENTS)
		tcache_settle(cache);
}

static size_t hash_of(size_t span)
{
	return span * UINT64_C(0x9e3779b97f4a7c15) >> 48 & (ROOMY_EVENTS - 1);
}

/* There is room for one more event. */
static struct roomy_event *roomy_event(struct roomy *roomy, size_t span,
				       size_t given)
{
	uint8_t *name = &roomy->event_of[hash_of(span + 3 * given)];
	struct roomy_event *event = &roomy->events[*name];

	if (*name < roomy->count && event->span == span &&
	    event->given == given)
		return event;
	*name = (uint8_t)roomy->count++;
	event = &roomy->events[*name];
	*event = (struct roomy_event){.span = span, .given = given};
	return event;
}

void roomy_lend(struct roomy *roomy, size_t span, size_t given)
{
	struct roomy_event *event = roomy_event(roomy, span, given);

	if (++event->more > event->most)
		event->most = event->more;
	roomy->lease.left -= given - span;
}

/* The span of the request that the block has served. */
static size_t roomy_span(const struct block *block)
{
	const struct pool *pool = block_pool(block);
	size_t size = block_size(block);

	return pool->view.classes.unit
		       ? mnm_size_class_span(&pool->view.classes, size)
		       : pool->view.ops->span(&pool->view, size, 0);
}

void roomy_return(struct tcache *cache, struct block *block)
{
	size_t span = roomy_span(block), given = block->span;
	struct roomy_event *event;

	if (block_pool(block)->heap->device != cache->device)
		return; /* the slow path tells that device's bound */
	event = roomy_event(&cache->roomy, span, given);
	if (--event->more < event->least)
		event->least = event->more;
	cache->roomy.lease.left += given - span;
	atomic_store_explicit(&block->word, block_word(block) & ~BLOCK_ROOMY,
			      memory_order_relaxed);
}

size_t roomy_place(struct tcache *cache, size_t span)
{
	uint16_t *hint = &cache->roomy.place_of[hash_of(span)];
	size_t place = *hint;

	if (place < cache->named && cache->keys[place] >= span &&
	    (!place || cache->keys[place - 1] < span))
		return place;
	place = tcache_place(cache, span);
	*hint = (uint16_t)place;
	return place;
}

bool roomy_is_alone(const struct tcache *cache, size_t span)
{
	return !pool_may_have(cache->pool, span) &&
	       (span < RAID_LEAST ||
		atomic_load_explicit(&cache->sharers, memory_order_relaxed) <
			2);
}

size_t roomy_last(const struct tcache *cache, size_t span)
{
	size_t most = span / ROOMY_SHARE, left = cache->roomy.lease.left;

	return key_last(span + (left < most ? left : most));
}

/* Takes the first safe block for a request of span bytes. */
static struct block *roomy_take(struct tcache *cache, size_t span)
{
	size_t place = roomy_place(cache, span), last = roomy_last(cache, span);
	uint64_t safe = atomic_load(cache->safe);
	struct magazine *magazine;
	struct block *block;

	for (; place < cache->named && cache->keys[place] <= last; place++) {
		magazine = &cache->magazines[cache->names[place]];
		block = magazine->head;
		if (!block)
			continue;
		if (block->epoch < safe) {
			magazine_set(magazine, block->next);
			mempool_leave(block);
			return block;
		}
		if (key_span(cache->keys[place]) == span)
			last = key_last(span); /* it may become safe */
	}
	return NULL;
}

bool tcache_alloc_roomy(struct tcache *cache, size_t size, uint64_t *addr)
{
	struct block *block = NULL;
	uint64_t marks = 0;
	size_t span;

	if (!roomy_may(cache))
		return false;
	tcache_enter(cache);
	span = tcache_span(cache, size);
	if (span && roomy_is_alone(cache, span))
		block = roomy_take(cache, span);
	if (!block) {
		tcache_leave(cache);
		return false;
	}
	if (block->span > span) {
		roomy_lend(&cache->roomy, span, block->span);
		marks = BLOCK_ROOMY;
	}
	span = block->span;
	if (tcache_checkout(cache, block, span, size, marks, &cache->stats.live,
			    addr) == FAST_LOOK)
		fast_look(cache);
	tcache_note(cache, MNM_RECORD_ALLOC, 0, *addr, size, span);
	return true;
}

/* As tcache_free, while it does not see the index. */
static enum fast free_recorded(struct tcache *cache, uint64_t addr,
			       struct block **taken)
{
	struct block_table *table;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->index, memory_order_acquire);
	if (!block_take_at(table, addr, 0, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	if (!tcache_keep(cache, *taken))
		return FAST_TAKEN;
	tcache_note_free(cache, addr);
	tcache_leave(cache);
	return FAST_DONE;
}

enum fast tcache_free_marked(struct tcache *cache, uint64_t addr,
			     struct block **taken)
{
	struct block_table *table;
	enum fast done = FAST_NOT;

	if (atomic_load_explicit(&cache->planned, memory_order_relaxed) !=
	    &block_table_none)
		return tcache_free_planned(cache, addr, taken);
	if (atomic_load_explicit(&cache->recorded, memory_order_relaxed))
		done = free_recorded(cache, addr, taken);
	if (done != FAST_NOT)
		return done;
	roomy_make_room(cache);
	tcache_enter(cache);
	table = atomic_load_explicit(&cache->index, memory_order_acquire);
	if (!block_take_at(table, addr, BLOCK_ROOMY, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	roomy_return(cache, *taken);
	if (!tcache_keep(cache, *taken))
		return FAST_TAKEN;
	tcache_note_free(cache, addr);
	tcache_leave(cache);
	return FAST_DONE;
}
