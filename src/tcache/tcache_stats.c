/* What the caches count, and who sums it.
 *
 * Each cache tells its device what has changed when its thread looks, and all
 * of them do where one thread's figures are not enough: for a new peak, and
 * once in as many looks as there are caches. So a look costs the same however
 * many threads there are, and the sum of what was told is seldom far off. */
#include "tcaches.h"
#include "fast.h"
#include "stats/counter.h"

/* Words that are read while they change. */
#define TORN __attribute__((no_sanitize("thread")))

/* What one of several threads may miss of a peak: a part of it, and so many
 * bytes at most. */
enum { PEAK_GRAIN = 16, PEAK_MISSED = 8 << 20 };

static _Atomic bool summing; /* under lock, who asks for figures */

/* Under lock, by device. */
static struct {
	struct stats published; /* by all caches there were */
	struct stats ended;     /* of those that are no more */
	unsigned int looks;     /* until all caches tell */
	unsigned int others;    /* than one, when they last did */
} sums[DEVICE_ALL];

/* sum += sign * part */
static void stats_add(struct stats *sum, const struct stats *part,
		      uint64_t sign)
{
	sum->hits += sign * part->hits;
	sum->frees += sign * part->frees;
	sum->freed += sign * part->freed;
	sum->idle += sign * part->idle;
	sum->live += sign * part->live;
	sum->taken += sign * part->taken;
	sum->given += sign * part->given;
	sum->reserved += sign * part->reserved;
}

/* Under lock, or by its own thread. */
TORN static struct stats figures_of(const struct tcache *cache)
{
	return (struct stats){
		.hits = (uint64_t)(cache->hits_most - cache->hits_left),
		.frees = (uint64_t)cache->frees,
		.freed = (uint64_t)cache->freed,
		.idle = (uint64_t)(cache->room - cache->room_left),
		.live = (uint64_t)(cache->live_most - cache->slack),
		.taken = (uint64_t)cache->pass_through.taken,
		.given = (uint64_t)cache->pass_through.given,
		.reserved = (uint64_t)cache->pass_through.reserved,
	};
}

struct stats tcaches_stats(const struct device *device)
{
	struct stats sum = {0}, part;

	if (device_is_host(device)) /* which has none */
		return sum;
	tcaches_lock();
	atomic_store(&summing, true);
	sum = sums[device_ordinal(device)].ended;
	for (struct tcache *at = caches; at; at = at->next) {
		if (at->device != device)
			continue;
		part = figures_of(at);
		stats_add(&sum, &part, 1);
	}
	atomic_store(&summing, false);
	tcaches_unlock();
	return sum;
}

TORN struct stats tcaches_approx(const struct device *device)
{
	struct stats sum = sums[device_ordinal(device)].published, own;

	if (tcache_current->device != device)
		return sum;
	own = figures_of(tcache_current);
	stats_add(&sum, &own, 1);
	stats_add(&sum, &tcache_current->published, -UINT64_C(1));
	return sum;
}

/* Under lock. */
TORN static void tcache_publish(struct tcache *cache)
{
	struct stats *told = &sums[device_ordinal(cache->device)].published;
	struct stats now = figures_of(cache);

	stats_add(told, &now, 1);
	stats_add(told, &cache->published, -UINT64_C(1));
	cache->published = now;
}

/* Under lock; there is one at least. */
static void tcaches_publish(const struct device *device)
{
	unsigned int count = 0;

	for (struct tcache *at = caches; at; at = at->next, count++)
		if (at->device == device)
			tcache_publish(at);
	sums[device_ordinal(device)].looks = count - 1;
	sums[device_ordinal(device)].others = count - 1;
}

void tcache_forget(struct tcache *cache)
{
	struct stats *ended = &sums[device_ordinal(cache->device)].ended;

	tcache_publish(cache);
	stats_add(ended, &cache->published, 1);
	cache->published = (struct stats){0};
	cache->hits_left = cache->hits_most = LOOK_EVERY;
	cache->slack = cache->live_most = 0;
	cache->frees = cache->freed = 0;
	cache->pass_through.taken = cache->pass_through.given =
		cache->pass_through.reserved = 0;
}

void tcaches_count_reserved(void)
{
	uint64_t moved;

	for (struct tcache *at = caches; at; at = at->next) {
		tcache_publish(at);
		at->pass_through.reserved = 0;
		at->published.reserved = 0;
	}
	for (int i = 0; i < DEVICE_MAX; i++) {
		moved = sums[i].published.reserved;
		sums[i].published.reserved = sums[i].ended.reserved = 0;
		/* Not by counter_add, which may ask the threads. */
		atomic_fetch_add(
			&device_at(i)->counters[COUNTER_reserved_bytes], moved);
		device_claim(device_at(i), moved);
	}
}

/* Under lock. The bytes that the program has of the device. */
static uint64_t live_published(const struct device *device)
{
	return atomic_load(&device->counters[COUNTER_live_bytes]) +
	       sums[device_ordinal(device)].published.live;
}

/* Under lock. */
static uint64_t live_seen(struct tcache *cache)
{
	struct device *device = cache->device;
	unsigned int *looks = &sums[device_ordinal(device)].looks;
	int64_t peak =
		(int64_t)atomic_load(&device->counters[COUNTER_live_peak]);

	tcache_publish(cache);
	if (!*looks || (int64_t)live_published(device) > peak)
		tcaches_publish(device);
	else
		--*looks;
	return live_published(device);
}

/* Under lock. The bytes that a thread may take before it looks again whether
 * there is a new peak of what is so much now. Where others give back what it
 * takes, it would look all the time without some more. */
static int64_t room_until(struct device *device, enum counter peak, int64_t now)
{
	int64_t top, more;

	if (now > 0)
		counter_raise(device, peak, (uint64_t)now);
	top = (int64_t)atomic_load(&device->counters[peak]);
	if (!sums[device_ordinal(device)].others)
		return top - now;
	more = top / PEAK_GRAIN;
	return top - now + (more < PEAK_MISSED ? more : PEAK_MISSED);
}

/* Under lock. Where each request is the driver's, what is reserved grows as
 * what is live does, and has a peak of its own. */
static int64_t slack_of(const struct tcache *cache, int64_t live)
{
	struct device *device = cache->device;
	int64_t slack = room_until(device, COUNTER_live_peak, live), room;
	uint64_t reserved = sums[device_ordinal(device)].published.reserved;

	if (!cache->pass_through.pool)
		return slack;
	reserved += atomic_load(&device->counters[COUNTER_reserved_bytes]);
	room = room_until(device, COUNTER_reserved_peak, (int64_t)reserved);
	return room < slack ? room : slack;
}

/* Under lock. No other thread, nor context, has anything of the device. */
static bool is_alone(const struct tcache *cache)
{
	return cache->context->caches <= 1 && cache->device->contexts <= 1;
}

/* It looks after so many requests at the latest. */
TORN static void tcache_sync_in(struct tcache *cache, int64_t requests)
{
	cache->hits_most += requests - cache->hits_left;
	cache->hits_left = requests;
}

void tcache_sync_soon(struct tcache *cache)
{
	if (cache->hits_left > LOOK_EVERY)
		tcache_sync_in(cache, LOOK_EVERY);
}

/* Who asks for figures is not waited for, but where there is a new peak. */
TORN void tcache_sync(struct tcache *cache)
{
	int64_t live, own;

	if (cache->slack >= 0 && atomic_load(&summing))
		return;
	tcaches_lock();
	live = (int64_t)live_seen(cache);
	own = cache->live_most - cache->slack;
	cache->slack = slack_of(cache, live);
	cache->live_most = own + cache->slack;
	tcache_sync_in(cache, is_alone(cache) ? LOOK_ALONE : LOOK_EVERY);
	tcaches_unlock();
}

/* As on the fast path, where the thread has a cache. */
TORN static bool tcache_count_alloc(const struct device *device, size_t size,
				    bool hit)
{
	struct tcache *cache = tcache_current;
	bool look;

	if (cache->device != device)
		return false;
	look = figure_add(&cache->slack, -size) < 0;
	look |= !hit || figure_add(&cache->hits_left, -UINT64_C(1)) < 0;
	if (look)
		tcache_sync(cache);
	return true;
}

TORN static bool tcache_count_free(const struct device *device, size_t size)
{
	struct tcache *cache = tcache_current;

	if (cache->device != device)
		return false;
	figure_add(&cache->slack, size);
	figure_add(&cache->frees, 1);
	return true;
}

static void look(const struct device *device)
{
	if (tcache_current->device == device)
		tcache_sync(tcache_current);
}

const struct stats_source tcaches_source = {
	.sum = tcaches_stats,
	.approx = tcaches_approx,
	.count_alloc = tcache_count_alloc,
	.count_free = tcache_count_free,
	.sync = look,
};
