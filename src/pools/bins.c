#include "bins.h"

#include <stdlib.h>
#include <string.h>

#include "block/key.h"

enum { BINS_LEAST = 64 };

/* The idle blocks of one key. The block that was freed first is the first to be
 * ready, so a look at the head is enough. */
struct bin {
	size_t key;
	struct mnm_block_list idle;
};

static struct binned_pool *binned_self(struct mnm_pool *pool)
{
	return (struct binned_pool *)pool;
}

void bins_close(struct mnm_pool *pool)
{
	free(binned_self(pool)->bins);
}

size_t bins_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)slack;
	return mnm_size_class_span(&pool->classes, size);
}

/* The place of the first bin of at least that key. */
static size_t bin_place(const struct binned_pool *pool, size_t key)
{
	size_t place = 0, count = pool->count, half;

	while (count) {
		half = count / 2;
		if (pool->bins[place + half].key < key) {
			place += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return place;
}

/* The bin of a key, or NULL. */
static struct bin *bin_find(const struct binned_pool *pool, size_t key)
{
	size_t place = bin_place(pool, key);

	return place < pool->count && pool->bins[place].key == key
		       ? &pool->bins[place]
		       : NULL;
}

/* Takes the first block of a bin, if it is ready. */
static enum mnm_answer bin_take(struct mnm_pool *pool, struct bin *bin,
				const struct mnm_request *request,
				struct mnm_block **block)
{
	struct mnm_block *head = bin ? bin->idle.head : NULL;

	if (!head)
		return MNM_MISS;
	if (!mnm_request_is_behind(request, key_stream(bin->key), head->epoch))
		return MNM_UNSAFE;
	bin->idle.head = head->next;
	bin->idle.count--;
	mnm_pool_idle_add(pool, key_span(bin->key), -(size_t)1);
	*block = head;
	return MNM_HIT;
}

enum mnm_answer bins_alloc(struct mnm_pool *pool,
			   const struct mnm_request *request,
			   struct mnm_block **block)
{
	const struct binned_pool *self = binned_self(pool);
	size_t span = request->span, most = SIZE_MAX, key;
	enum mnm_answer answer = MNM_MISS, found;

	key = block_key(span, request->stream);
	if (request->stream &&
	    bin_take(pool, bin_find(self, key), request, block) == MNM_HIT)
		return MNM_HIT;
	if (request->slack < SIZE_MAX - span)
		most = block_key(key_span(span + request->slack),
				 STREAM_NUMBERS - 1);
	for (size_t place = bin_place(self, span);
	     place < self->count && self->bins[place].key <= most; place++) {
		found = bin_take(pool, &self->bins[place], request, block);
		if (found == MNM_HIT)
			return MNM_HIT;
		if (found == MNM_UNSAFE)
			answer = MNM_UNSAFE;
	}
	return answer;
}

/* Returns false without memory. */
static bool bins_grow(struct binned_pool *pool)
{
	size_t room = pool->room ? 2 * pool->room : BINS_LEAST;
	struct bin *bins = realloc(pool->bins, room * sizeof(*bins));

	if (!bins)
		return false;
	pool->bins = bins;
	pool->room = room;
	return true;
}

/* The bin of a key, made if there is none; NULL without memory. */
static struct bin *bin_current(struct binned_pool *pool, size_t key)
{
	struct bin *bin = bin_find(pool, key);
	size_t place;

	if (bin)
		return bin;
	if (pool->count == pool->room && !bins_grow(pool))
		return NULL;
	place = bin_place(pool, key);
	bin = &pool->bins[place];
	memmove(bin + 1, bin, (pool->count - place) * sizeof(*bin));
	pool->count++;
	*bin = (struct bin){.key = key};
	return bin;
}

/* The list goes behind the blocks that are there, unless the last of these was
 * freed later: then blocks that are ready would be hidden behind others that
 * are not yet. */
bool bins_free_batch(struct mnm_pool *pool, const struct mnm_block_list *list)
{
	size_t key =
		block_key(list->head->span, (unsigned int)list->head->stream);
	struct bin *bin = bin_current(binned_self(pool), key);
	struct mnm_block_list *idle;

	if (!bin)
		return false;
	idle = &bin->idle;
	if (idle->head && list->head->epoch < idle->tail->epoch) {
		list->tail->next = idle->head;
		idle->head = list->head;
	} else {
		list->tail->next = NULL;
		if (idle->head)
			idle->tail->next = list->head;
		else
			idle->head = list->head;
		idle->tail = list->tail;
	}
	idle->count += list->count;
	mnm_pool_idle_add(pool, list->head->span, list->count);
	return true;
}

bool bins_free(struct mnm_pool *pool, struct mnm_block *block)
{
	const struct mnm_block_list list = {block, block, 1};

	return bins_free_batch(pool, &list);
}

/* If all blocks are taken, only the first and the last one are looked at, not
 * each: the cache lines of blocks that another thread has freed are in that
 * thread's processor. */
struct mnm_block_list bins_alloc_batch(struct mnm_pool *pool,
				       const struct mnm_request *request,
				       size_t most)
{
	size_t key = block_key(request->span, request->stream);
	struct bin *bin = bin_find(binned_self(pool), key);
	struct mnm_block_list taken = {0};
	struct mnm_block *next = NULL;

	if (!bin || !bin->idle.head)
		return taken;
	if (bin->idle.count <= most &&
	    mnm_block_is_ready(bin->idle.head, request) &&
	    mnm_block_is_ready(bin->idle.tail, request)) {
		taken = bin->idle;
	} else {
		taken.head = next = bin->idle.head;
		for (; next && mnm_block_is_ready(next, request) &&
		       taken.count < most;
		     next = next->next, taken.count++)
			taken.tail = next;
	}
	bin->idle.head = next;
	bin->idle.count -= taken.count;
	mnm_pool_idle_add(pool, request->span, -taken.count);
	return taken;
}

struct mnm_block *bins_trim(struct mnm_pool *pool, size_t bytes)
{
	struct mnm_block *list = NULL, *block;
	size_t taken = 0, place = binned_self(pool)->count;
	struct bin *bin;

	while (taken < bytes && place) {
		bin = &binned_self(pool)->bins[--place];
		while (taken < bytes && (block = bin->idle.head)) {
			bin->idle.head = block->next;
			bin->idle.count--;
			mnm_pool_idle_add(pool, key_span(bin->key), -(size_t)1);
			block->next = list;
			list = block;
			taken += key_span(bin->key);
		}
	}
	return list;
}
