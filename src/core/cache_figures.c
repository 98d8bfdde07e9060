/* What the caches count, and who sums it. */
#include "caches.h"
#include "fast.h"

static _Atomic bool summing; /* under lock, who asks for figures */

/* Under lock, or by its own thread. */
static uint64_t live_of(const struct cache *cache)
{
	return (uint64_t)(cache->live_most - cache->slack);
}

/* Under lock. */
__attribute__((no_sanitize("thread"))) static struct cache_figures figures_sum(
	const struct device *device)
{
	struct cache_figures sum = {0};

	for (struct cache *at = caches; at; at = at->next) {
		if (at->device != device)
			continue;
		sum.hits += (uint64_t)(at->hits_most - at->hits_left);
		sum.frees += (uint64_t)at->frees;
		sum.freed += (uint64_t)at->freed;
		sum.idle += (uint64_t)(at->room - at->room_left);
		sum.live += live_of(at);
		if ((uint64_t)at->live_peak > sum.live_peak)
			sum.live_peak = (uint64_t)at->live_peak;
		sum.taken += (uint64_t)at->direct.taken;
		sum.given += (uint64_t)at->direct.given;
		sum.reserved += (uint64_t)at->direct.reserved;
	}
	return sum;
}

struct cache_figures caches_figures(const struct device *device)
{
	struct cache_figures sum = {0};

	if (!caches || device_is_host(device)) /* which has none */
		return sum;
	caches_lock();
	atomic_store(&summing, true);
	sum = figures_sum(device);
	atomic_store(&summing, false);
	caches_unlock();
	return sum;
}

/* Under lock. Where each request is the driver's, what is reserved grows as
 * what is live does, and has a peak of its own. */
static void slack_bound(struct cache *cache)
{
	uint64_t room = device_peak_room(cache->device,
					 figures_sum(cache->device).reserved);

	if (room < (uint64_t)cache->slack)
		cache->slack = (int64_t)room;
}

/* Under lock. */
static void look_from(struct cache *cache, int64_t live)
{
	int64_t own = (int64_t)live_of(cache);

	if (live > cache->live_peak)
		cache->live_peak = live;
	cache->slack = cache->live_peak - live;
	if (cache->direct.pool)
		slack_bound(cache);
	cache->live_most = own + cache->slack;
	cache->hits_most += LOOK_EVERY - cache->hits_left;
	cache->hits_left = LOOK_EVERY;
}

void cache_seen(struct cache *cache, uint64_t live)
{
	caches_lock();
	look_from(cache, (int64_t)live);
	caches_unlock();
}

/* Who asks for figures is not waited for, but where there is a new peak. */
void cache_look(struct cache *cache)
{
	const struct device *device = cache->device;
	uint64_t live;

	if (cache->slack >= 0 && atomic_load(&summing))
		return;
	caches_lock();
	live = atomic_load(&device->counters[COUNTER_live_bytes]) +
	       figures_sum(device).live;
	look_from(cache, (int64_t)live);
	caches_unlock();
}
