#include "fast_stream.h"
#include "tcache_note.h"
#include "tcaches.h"

#include "order/stream_past.h"

/* The stream's way, or the one that is to be overwritten next, by turns. */
static struct stream_way *way_of(struct tcache *cache, uintptr_t key)
{
	for (int i = 0; i < STREAM_WAYS; i++)
		if ((cache->ways[i].key & ~WAY_MARKS) == (key & ~WAY_MARKS))
			return &cache->ways[i];
	return &cache->ways[cache->next_way];
}

/* While the cache is busy. If it is closed, what it remembers may be changed
 * by others. */
static bool is_open(const struct tcache *cache)
{
	return atomic_load_explicit(&cache->index, memory_order_acquire) !=
	       &block_table_none;
}

static void way_copy(struct stream_way *to, const struct stream_way *from)
{
	atomic_store_explicit(&to->key, from->key, memory_order_relaxed);
	atomic_store_explicit(&to->asks, from->asks, memory_order_relaxed);
	atomic_store_explicit(&to->pool, from->pool, memory_order_relaxed);
	atomic_store_explicit(&to->number, from->number, memory_order_relaxed);
	to->beside = from->beside;
	to->owner = from->owner;
}

/* The pool of cache->way is the one whose bytes the fast path counts. */
static void way_count(struct tcache *cache)
{
	thread_stats_turn(&cache->stats, cache->way.owner & MEMPOOL_BITS);
}

uintptr_t stream_way_find(struct tcache *cache, uintptr_t key)
{
	const struct stream_way *way;
	uintptr_t its = RELAXED(&cache->way.key);

	if ((its & ~WAY_MARKS) == key)
		return its;
	its = WAY_NONE;
	tcache_enter(cache);
	if (is_open(cache)) {
		way = way_of(cache, key);
		if ((way->key & ~WAY_MARKS) == key) {
			its = way->key;
			way_copy(&cache->way, way);
		}
	}
	tcache_leave(cache);
	if (its != WAY_NONE)
		way_count(cache);
	return its;
}

/* After the block has changed hands: a mark from before that does not do. */
void stream_way_marks(struct tcache *cache)
{
	struct context *context = atomic_load(&cache->context);

	if (context)
		legacy_mark_later(context);
}

static bool is_behind(const struct tcache *cache, unsigned int number,
		      uint64_t epoch)
{
	const struct stream_way *way = &cache->way;
	const struct mnm_request request = {
		.safe = atomic_load(cache->safe),
		.stream = way->number,
		.behind = stream_behind(way->number),
		.passes = way->key & WAY_MARKS ? stream_passed(way->number)
					       : NULL,
		.over = (const uint64_t *)streams_over,
	};

	return mnm_request_is_behind(&request, number, epoch);
}

/* Whether the first block, freed in the stream of that number or in none (0),
 * is ready for the way's stream. */
static bool is_ready(const struct tcache *cache,
		     const struct magazine *magazine, unsigned int number)
{
	const struct stream_way *way = &cache->way;
	const struct block *block = magazine ? magazine->head : NULL;

	return block && block->owner == way->owner &&
	       (number == way->number ||
		is_behind(cache, number, block->epoch));
}

/* A magazine whose first block is ready for the way's stream; or NULL. */
static struct magazine *magazine_ready(struct tcache *cache, size_t span)
{
	struct magazine *magazine = magazine_of(cache, block_key(span, 0));

	if (is_ready(cache, magazine, 0))
		return magazine;
	for (int i = 0; i < STREAM_WAYS; i++) {
		if (!cache->ways[i].number)
			continue;
		magazine = magazine_of(cache,
				       block_key(span, cache->ways[i].number));
		if (is_ready(cache, magazine, cache->ways[i].number))
			return magazine;
	}
	return NULL;
}

/* The same for the least block that may serve a request of span bytes. It is of
 * that very span if there is one, though that may not be ready yet. */
static struct magazine *magazine_roomy(struct tcache *cache, size_t span)
{
	const struct stream_way *way = &cache->way;
	size_t place = roomy_place(cache, span), last = roomy_last(cache, span);
	struct magazine *magazine;
	unsigned int number;

	for (; place < cache->named && cache->keys[place] <= last; place++) {
		magazine = &cache->magazines[cache->names[place]];
		number = key_stream(cache->keys[place]);
		if (!magazine->head)
			continue;
		if ((way->beside || number == way->number) &&
		    is_ready(cache, magazine, number))
			return magazine;
		if (key_span(cache->keys[place]) == span)
			last = key_last(span);
	}
	return NULL;
}

/* Notes a request, or a free (of no stream and no size). */
static void note_in(const struct tcache *cache, enum mnm_record_kind kind,
		    unsigned int stream, uint64_t addr, size_t size,
		    size_t span)
{
	if (record_is_on())
		record_note(kind, MNM_RECORD_SERVED | MNM_RECORD_ORDERED, addr,
			    size, span, cache->device_number,
			    cache->pool_number, stream, record_site);
}

/* Ends what tcache_enter has begun: hands the first block of a magazine, if it
 * is not NULL, to the program for a request of span bytes. */
static enum fast lend(struct tcache *cache, struct magazine *magazine,
		      size_t span, size_t size, uint64_t *addr)
{
	unsigned int stream = cache->way.number;
	uint64_t marks = BLOCK_ORDERED;
	enum fast done;
	size_t given;

	if (!magazine) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	given = magazine->head->span;
	if (given > span) {
		roomy_lend(&cache->roomy, span, given);
		marks |= BLOCK_ROOMY;
	}
	done = tcache_lend(cache, magazine, given, size, marks, addr);
	note_in(cache, MNM_RECORD_ALLOC, stream, *addr, size, given);
	return done;
}

static struct magazine *magazine_own(struct tcache *cache, size_t span)
{
	unsigned int number = cache->way.number;
	struct magazine *magazine = magazine_of(cache, block_key(span, number));

	return is_ready(cache, magazine, number) ? magazine : NULL;
}

static enum fast alloc_ready(struct tcache *cache, uintptr_t key,
			     const void *pool, size_t size, uint64_t *addr)
{
	struct magazine *magazine = NULL;
	size_t span;
	bool roomy = roomy_may(cache), known;

	tcache_enter(cache);
	span = tcache_span(cache, size);
	known = span && cache->way.key == key && cache->way.pool == pool;
	if (known && !cache->unit) /* tcache_alloc_in could not look there */
		magazine = magazine_own(cache, span);
	if (known && !magazine && roomy && roomy_is_alone(cache, span))
		magazine = magazine_roomy(cache, span);
	else if (known && !magazine && cache->way.beside)
		magazine = magazine_ready(cache, span);
	return lend(cache, magazine, span, size, addr);
}

enum fast tcache_alloc_beside(struct tcache *cache, uintptr_t way_key,
			      enum fast before, const void *pool, size_t size,
			      uint64_t *addr)
{
	enum fast done = before;

	if (way_key == WAY_NONE)
		return FAST_NOT;
	if (before == FAST_STREAM)
		done = tcache_alloc_in(cache, way_key, pool, size, addr);
	if (done == FAST_NOT)
		done = alloc_ready(cache, way_key, pool, size, addr);
	return done == FAST_STREAM ? FAST_NOT : done;
}

/* As tcache_free_in, if the block has these marks; also while a recording is
 * made. */
static enum fast free_marked_in(struct tcache *cache, uintptr_t key,
				uint64_t addr, uint64_t marks,
				struct block **taken)
{
	struct block_table *table;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->index, memory_order_acquire);
	if (cache->way.key != key ||
	    !block_take_at(table, addr, marks, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	if (marks & BLOCK_ROOMY)
		roomy_return(cache, *taken);
	if (!tcache_keep_in(cache, *taken))
		return FAST_TAKEN;
	note_in(cache, MNM_RECORD_FREE, 0, addr, 0, 0);
	tcache_leave(cache);
	return FAST_DONE;
}

static enum fast free_noted_in(struct tcache *cache, uintptr_t key,
			       uint64_t addr, struct block **taken)
{
	enum fast done = FAST_NOT;

	if (atomic_load_explicit(&cache->recorded, memory_order_relaxed))
		done = free_marked_in(cache, key, addr, BLOCK_ORDERED, taken);
	if (done != FAST_NOT)
		return done;
	roomy_make_room(cache);
	return free_marked_in(cache, key, addr, BLOCK_ORDERED | BLOCK_ROOMY,
			      taken);
}

enum fast tcache_free_beside(struct tcache *cache, uintptr_t way_key,
			     enum fast before, uint64_t addr,
			     struct block **taken)
{
	enum fast done = before;

	if (way_key == WAY_NONE)
		return FAST_NOT;
	if (before == FAST_STREAM)
		done = tcache_free_in(cache, way_key, addr, taken);
	if (done == FAST_NOT)
		done = free_noted_in(cache, way_key, addr, taken);
	return done == FAST_STREAM ? FAST_NOT : done;
}

void stream_way_set(struct tcache *cache, const struct stream_way *way,
		    unsigned int mempool, unsigned int changes)
{
	struct stream_way *place = NULL;

	if (!way->number || cache == &tcache_none)
		return;
	tcache_enter(cache);
	if (is_open(cache) && atomic_load(&stream_changes) == changes) {
		place = way_of(cache, way->key);
		if (place->key != way->key)
			cache->next_way = (cache->next_way + 1) % STREAM_WAYS;
		way_copy(place, way);
		place->asks = way->pool ? WAY_NONE : way->key;
		place->owner = owner_of(cache->pool, mempool);
		way_copy(&cache->way, place);
	}
	tcache_leave(cache);
	if (!place)
		return;
	way_count(cache);
	mempool_notice(mempool);
}
