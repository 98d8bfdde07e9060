/* How many bytes each cache may hold: a context's only one all, one of several
 * what the option says; neither more than goes without a free that waits, and
 * all no more than may be idle. */
#include "caches.h"
#include "order/fence.h"

static size_t thread_room; /* bytes; set before there are threads */

void caches_room_set(size_t bytes)
{
	thread_room = bytes;
}

int64_t cache_room(const struct cache *cache)
{
	size_t room = thread_room;
	size_t most = fence_room(cache->device);
	size_t idle = cache_source->idle_most(cache->device);

	if (room && cache->context->caches == 1)
		room = SIZE_MAX;
	else if (cache->context->caches > 1)
		idle /= (size_t)cache->context->caches;
	if (room > most)
		room = most;
	if (room > idle)
		room = idle;
	return room < INT64_MAX / 2 ? (int64_t)room : INT64_MAX / 2;
}

void cache_fit(struct cache *cache)
{
	int64_t room = cache_room(cache);

	cache->room_left += room - cache->room;
	cache->room = room;
	cache_shed(cache);
	cache_open(cache, SHUT_ROOM);
}

void caches_review_rooms(struct context *context)
{
	int count = 0;

	for (struct cache *at = caches; at; at = at->next) {
		if (at->context != context)
			continue;
		count++;
		cache_shut(at, SHUT_OTHER);
	}
	context->caches = count;
	caches_wait();
	for (struct cache *at = caches; at; at = at->next) {
		if (at->context != context)
			continue;
		cache_fit(at);
		if (count == 1)
			cache_pardon(at);
		else
			cache_look_soon(at);
		cache_open(at, SHUT_OTHER);
	}
}
