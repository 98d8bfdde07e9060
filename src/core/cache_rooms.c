/* What each cache may hold. */
#include "bound.h"
#include "caches.h"
#include "config.h"

/* A context's only cache may hold all, one of several what the option says;
 * none more than what others have left it, and all no more than may be idle. */
static int64_t room_of(const struct cache *cache, int count)
{
	const int64_t all = INT64_MAX / 2;
	size_t option = config_current()->thread_cache;
	size_t share = bound_idle_most(cache->device) / (size_t)count;
	int64_t room = option < (size_t)all ? (int64_t)option : all;

	if (option && count == 1)
		room = all;
	if (share < (size_t)room)
		room = (int64_t)share;
	return room < cache->room_most ? room : cache->room_most;
}

void caches_review_rooms(struct context *context)
{
	int64_t room;
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
		room = room_of(at, count);
		at->room_left += room - at->room;
		at->room = room;
		cache_open(at, SHUT_OTHER);
	}
}

void caches_resize(struct context *context)
{
	caches_lock();
	caches_review_rooms(context);
	caches_unlock();
}

void cache_widen(const struct cache *cache)
{
	if (room_of(cache, cache->context->caches) / 2 > cache->room)
		caches_resize(cache->context);
}
