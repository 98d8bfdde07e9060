/* How many bytes each cache may hold: the only one of a context any number, one
 * of several what the option thread_cache says. None may hold more than a
 * thread may free before it has to ask whether to wait, and all together no
 * more than may be idle. */
#include "tcaches.h"
#include "order/fence.h"

static size_t thread_room; /* bytes; set before there are caches */

void tcaches_room_set(size_t bytes)
{
	thread_room = bytes;
}

int64_t tcache_room(const struct tcache *cache)
{
	size_t room = thread_room;
	size_t most = fence_room(cache->device);
	size_t idle = tcache_source->idle_most(cache->device);

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

void tcache_fit(struct tcache *cache)
{
	thread_stats_room(&cache->stats, tcache_room(cache));
	tcache_shed(cache);
	tcache_open(cache, CLOSED_ROOM);
}

void tcaches_recompute_rooms(struct context *context)
{
	int count = 0;

	for (struct tcache *at = caches; at; at = at->next) {
		if (at->context != context)
			continue;
		count++;
		tcache_close(at, CLOSED_OTHER);
	}
	context->caches = count;
	tcaches_wait();
	for (struct tcache *at = caches; at; at = at->next) {
		if (at->context != context)
			continue;
		tcache_fit(at);
		atomic_store(&at->sharers, (unsigned int)count);
		thread_stats_alone(&at->stats, count == 1);
		if (count == 1)
			tcache_pardon(at);
		tcache_open(at, CLOSED_OTHER);
	}
}
