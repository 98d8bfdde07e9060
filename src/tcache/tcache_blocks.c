/* What is in the caches, and how it moves between them and the pools. The
 * context's lock is held around each call, so that one thread moves blocks at a
 * time. */
#include "tcaches.h"
#include "pass_through.h"
#include "stats/mempool_stats.h"

/* The most blocks that move into a pool at a time, and out of it. */
enum { MOVE_MAX = 32, TAKE_MAX = 2 * MOVE_MAX };

/* How often a key is refused another key's empty magazine, or room, before it
 * gets that. */
enum { WANTED_OFTEN = 64, REFUSED_OFTEN = 64 };

/* After RAIDS_FREE raids by others a thread may keep one block of the key, and
 * twice as many after each further raid, up to RAIDS_MOST raids. ASKED_AGAIN:
 * the requests for the key that make up for one raid. */
enum { RAIDS_FREE = 2, RAIDS_MOST = 16, ASKED_AGAIN = 32 };

struct magazine *magazine_find(struct tcache *cache, size_t key)
{
	struct magazine *at = magazine_at(cache, key);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if (__atomic_load_n(&at->key, __ATOMIC_RELAXED) == key &&
		    __atomic_load_n(&at->head, __ATOMIC_RELAXED))
			return at;
	return NULL;
}

/* Takes the first blocks of a magazine, up to so many: those that are safe, or
 * if the first is not, those that are not. They are noted to be of its
 * stream. */
static struct block_list magazine_cut(struct magazine *magazine, size_t most,
				      uint64_t safe)
{
	struct block_list list = {.head = magazine->head};
	struct block *next = list.head;
	bool is_safe = next && next->epoch < safe;

	for (; next && list.count < most && (next->epoch < safe) == is_safe;
	     next = next->next, list.count++) {
		next->use = key_stream(magazine->key);
		list.tail = next;
	}
	if (list.count)
		list.tail->next = NULL;
	magazine_set(magazine, next);
	return list;
}

/* No safe block gets behind one that is not safe in the pool. */
void magazine_move(struct tcache *cache, struct magazine *magazine, size_t most,
		   uint64_t below)
{
	uint64_t safe = atomic_load(cache->safe);
	struct block_list list;

	if (safe > below) /* it has risen just now */
		safe = below;
	for (; most && magazine_has(magazine, below); most -= list.count) {
		list = magazine_cut(magazine, most, safe);
		cache->stats.idle.left +=
			(int64_t)(list.count * list.head->span);
		tcache_source->free_batch(&list);
	}
}

static void magazine_empty(struct tcache *cache, struct magazine *magazine,
			   size_t most)
{
	magazine_move(cache, magazine, most, UINT64_MAX);
}

bool tcache_move(struct tcache *cache, size_t least, size_t most,
		 uint64_t below)
{
	size_t i = tcache_place(cache, least), last = key_last(most);
	struct magazine *at;
	bool any = false;

	for (; i < cache->named && cache->keys[i] <= last; i++) {
		at = &cache->magazines[cache->names[i]];
		if (!magazine_has(at, below))
			continue;
		magazine_move(cache, at, SIZE_MAX, below);
		any = true;
	}
	return any;
}

bool tcache_move_first(struct tcache *cache, const struct mnm_request *request,
		       size_t most, uint64_t below)
{
	size_t i = tcache_place(cache, request->span), last = key_last(most);
	bool any = false, found = false;
	struct magazine *at;

	for (; !found && i < cache->named && cache->keys[i] <= last; i++) {
		at = &cache->magazines[cache->names[i]];
		if (!magazine_has(at, below))
			continue;
		found = mnm_request_is_behind(
			request, key_stream(cache->keys[i]), at->head->epoch);
		magazine_move(cache, at, 1, below);
		any = true;
	}
	return any;
}

void tcache_move_largest(struct tcache *cache, size_t bytes)
{
	int64_t before = cache->stats.idle.left;
	size_t moved = 0, span;

	for (size_t i = cache->named; i-- && moved < bytes;) {
		span = key_span(cache->keys[i]);
		magazine_empty(cache, &cache->magazines[cache->names[i]],
			       (bytes - moved + span - 1) / span);
		moved = (size_t)(cache->stats.idle.left - before);
	}
}

bool tcache_move_one(struct tcache *cache, size_t span)
{
	size_t i = tcache_place(cache, span), last = key_last(span);
	struct magazine *at;

	for (; i < cache->named && cache->keys[i] <= last; i++) {
		at = &cache->magazines[cache->names[i]];
		if (!at->head)
			continue;
		magazine_empty(cache, at, 1);
		return true;
	}
	return false;
}

/* Whether no block of the magazine's key may be left: it is empty, and the last
 * one that it had has gone since. The record of that one may be another block's
 * by now. */
__attribute__((no_sanitize("thread"))) static bool magazine_is_over(
	const struct magazine *magazine, size_t span)
{
	const struct block *last = magazine->tail;

	return !magazine->head && !magazine->raids &&
	       (!last || last->span != span || block_word(last) & BLOCK_GONE);
}

void tcache_prune(struct tcache *cache)
{
	struct magazine *at;

	for (size_t i = cache->named; i--;) {
		at = &cache->magazines[cache->names[i]];
		if (magazine_is_over(at, key_span(cache->keys[i])))
			tcache_unname(cache, at);
	}
}

void tcache_shed(struct tcache *cache)
{
	for (size_t i = cache->named; i-- && cache->stats.idle.left < 0;)
		magazine_empty(cache, &cache->magazines[cache->names[i]],
			       SIZE_MAX);
}

static void magazine_name(struct magazine *magazine, size_t key)
{
	__atomic_store_n(&magazine->key, key, __ATOMIC_RELAXED);
}

void tcache_pardon(struct tcache *cache)
{
	struct magazine *at;

	for (size_t i = 0; i < cache->named; i++) {
		at = &cache->magazines[cache->names[i]];
		at->raids = at->owed = 0;
		magazine_name(at, cache->keys[i]);
	}
}

void tcache_empty(struct tcache *cache)
{
	if (cache->stats.idle.left < cache->stats.idle.most)
		tcache_move(cache, 0, SIZE_MAX, UINT64_MAX);
	pass_through_settle(cache);
	tcache_course_leave(cache);
	tcache_serve(cache, NULL);
}

void tcache_adopt(struct tcache *cache, struct pool *pool)
{
	if (!cache || !pool->view.classes.unit ||
	    (cache->pool == pool && !(cache->closed & CLOSED_ROOM) &&
	     (cache->closed || cache->index == block_table)))
		return;
	tcaches_lock();
	tcache_fit(cache);
	tcache_serve(cache, pool);
	tcaches_unlock();
}

/* The magazine of a key, maybe a lost one, or an empty one that becomes the
 * key's; or NULL. An empty one of another key is taken only if it is wanted
 * often, so that keys don't take turns. */
static struct magazine *magazine_for(struct tcache *cache, size_t key)
{
	struct magazine *at = magazine_at(cache, key);

	for (int i = 0; i < 2; i++, at = magazine_beside(at))
		if ((at->key & ~(size_t)MAGAZINE_LOST) == key)
			return at;
	for (int i = 0; i < 2; i++, at = magazine_beside(at)) {
		if (at->head)
			continue;
		if (at->key && ++at->wanted % WANTED_OFTEN)
			continue;
		tcache_rename(cache, at, key);
		return at;
	}
	return NULL;
}

/* How many blocks of a span there is room for; half of all room is left for
 * blocks that are freed next. */
static size_t count_room(const struct tcache *cache, size_t span)
{
	int64_t room = cache->stats.idle.left - cache->stats.idle.most / 2;

	return room > 0 ? (size_t)room / span : 0;
}

/* Gives the cache more room, if it may have more by now. */
static void tcache_grow(struct tcache *cache)
{
	if (tcache_room(cache) <= cache->stats.idle.most)
		return;
	tcaches_lock();
	tcache_fit(cache);
	tcaches_unlock();
}

/* There is no room. Once in so many times half of all room is made, by one key
 * after the other. Otherwise a cache that is full of blocks that nobody asks
 * for any more would stay so. */
static void tcache_make_room(struct tcache *cache, size_t span)
{
	int64_t half = cache->stats.idle.most / 2, least = (int64_t)span;

	if (++cache->refused % REFUSED_OFTEN)
		return;
	if (least < half)
		least = half;
	for (size_t i = 0; i < cache->named && cache->stats.idle.left < least;
	     i++) {
		cache->hand = (cache->hand + 1) % cache->named;
		magazine_empty(cache,
			       &cache->magazines[cache->names[cache->hand]],
			       SIZE_MAX);
	}
}

size_t magazine_keeps(const struct magazine *magazine)
{
	return magazine->raids < RAIDS_FREE
		       ? 0
		       : (size_t)1 << (magazine->raids - RAIDS_FREE);
}

void magazine_lose(struct magazine *magazine)
{
	if (!magazine->head)
		magazine_name(magazine, magazine->key | MAGAZINE_LOST);
	magazine->owed = ASKED_AGAIN;
	magazine->raids += magazine->raids < RAIDS_MOST;
}

/* The cache's thread asks for the key and has no block left. Whether it may
 * have some now: it has to wait after raids, and each is forgotten after so
 * many requests. */
static bool magazine_asked(struct magazine *magazine, size_t key)
{
	if (magazine->raids && !--magazine->owed) {
		magazine->owed = ASKED_AGAIN;
		if (magazine->key == key)
			magazine->raids--;
		else
			magazine_name(magazine, key);
	}
	return magazine->key == key;
}

/* The fast path takes what was not freed in the order of a stream without a
 * look at the pool of CUDA's that had it last. */
static void list_untag(const struct block_list *list)
{
	for (struct block *at = list->head; at; at = at->next) {
		mempool_leave(at);
		if (at == list->tail)
			return;
	}
}

void tcache_refill(struct tcache *cache, const struct mnm_request *request)
{
	struct pool *pool = cache ? cache->pool : NULL;
	size_t span = request->span, key = block_key(span, request->stream);
	struct magazine *magazine;
	struct block_list list;
	size_t most;

	if (!pool || atomic_load(&cache->closed) ||
	    !mnm_size_class_is_kept(&pool->view.classes, span))
		return;
	if (!count_room(cache, span))
		tcache_grow(cache);
	if ((int64_t)span > cache->stats.idle.most)
		return;
	magazine = magazine_for(cache, key);
	if (!magazine || !magazine_asked(magazine, key))
		return;
	most = count_room(cache, span);
	if (!most)
		tcache_make_room(cache, span);
	if (magazine->raids && most > magazine_keeps(magazine) / 2)
		most = magazine_keeps(magazine) / 2;
	if (!most)
		return;
	list = tcache_source->alloc_batch(pool, request,
					  most < TAKE_MAX ? most : TAKE_MAX);
	if (!list.count)
		return;
	if (!request->stream && mempools_are_used())
		list_untag(&list);
	/* The new blocks are safe, those that are there may not be. */
	list.tail->next = magazine->head;
	if (!list.tail->next)
		magazine->tail = list.tail;
	magazine_set(magazine, list.head);
	cache->stats.idle.left -= (int64_t)(list.count * span);
}

bool tcache_put(struct tcache *cache, struct block *block, unsigned int stream)
{
	size_t key = block_key(block->span, stream);
	struct magazine *magazine;

	if (!cache || cache->pool != block_pool(block) ||
	    atomic_load(&cache->closed) ||
	    !mnm_size_class_is_kept(&cache->pool->view.classes, block->span))
		return false;
	if (cache->stats.idle.left < (int64_t)block->span)
		tcache_grow(cache);
	if ((int64_t)block->span > cache->stats.idle.most)
		return false;
	magazine = magazine_for(cache, key);
	if (!magazine || magazine->key != key)
		return false;
	if (cache->stats.idle.left < (int64_t)block->span)
		magazine_empty(cache, magazine, MOVE_MAX);
	if (cache->stats.idle.left < (int64_t)block->span)
		tcache_make_room(cache, block->span);
	if (cache->stats.idle.left < (int64_t)block->span)
		return false;
	magazine_append(magazine, block);
	cache->stats.idle.left -= (int64_t)block->span;
	return true;
}
