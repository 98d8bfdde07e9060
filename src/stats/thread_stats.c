/* The words of all threads, and their sums.
 *
 * Each thread publishes what it has counted when it syncs. If there is a new
 * maximum, and once in as many syncs as there are threads, it publishes the
 * words of all threads. So a sync costs the same however many threads there
 * are, and the sum of what was published is seldom far off. */
#include "thread_stats.h"

#include <pthread.h>
#include <stdatomic.h>

#include "counter.h"
#include "preload/thread.h"
#include "thread_ordered.h"

/* What one of several threads may miss of a maximum: a part of the maximum, and
 * at most so many bytes. */
enum { MAXIMUM_GRAIN = 16, MAXIMUM_MISSED = 8 << 20 };

static struct thread_stats nobody;

__thread struct thread_stats *thread_stats_own = &nobody;

static pthread_mutex_t lock = LOCK_SPINS; /* taken last of all locks */
static _Atomic bool summing;              /* set under lock, read without */

/* Under lock. */
static struct thread_stats *all; /* linked by next */

/* Under lock: what threads that have ended had counted. */
static int64_t ended_mempools[MEMPOOLS];

/* Under lock, by device. */
static struct {
	struct thread_words published; /* by all threads there were */
	struct thread_words ended;     /* of those that have ended */
	unsigned int syncs;            /* until all words are published */
	unsigned int others;           /* all but one, when they last were */
} sums[DEVICE_ALL];

/* The counts of words of both kinds. Under lock, or by the words' own
 * thread. */
#define UP(name)   ((uint64_t)stats->name)
#define DOWN(name) ((uint64_t)(stats->name.most - stats->name.left))
#define LIVE(name) (DOWN(name) + DOWN(ordered))
#define IDLE(name) (DOWN(name) + UP(planned))

TORN static uint64_t word_value(const struct thread_stats *stats,
				enum thread_word word)
{
	switch (word) {
#define WORD(name, way) \
	case WORD_##name: \
		return way(name);
		THREAD_WORD_LIST
#undef WORD
	default:
		return 0;
	}
}

TORN static void words_add(struct thread_words *sum,
			   const struct thread_stats *stats)
{
#define WORD(name, way) sum->of[WORD_##name] += way(name);
	THREAD_WORD_LIST
#undef WORD
}

struct thread_words thread_words_sum(const struct device *device)
{
	struct thread_words sum = {0};

	if (device_is_host(device)) /* threads count nothing of it */
		return sum;
	pthread_mutex_lock(&lock);
	atomic_store(&summing, true);
	sum = sums[device_ordinal(device)].ended;
	for (const struct thread_stats *at = all; at; at = at->next)
		if (at->device == device)
			words_add(&sum, at);
	atomic_store(&summing, false);
	pthread_mutex_unlock(&lock);
	return sum;
}

uint64_t thread_word_sum(const struct device *device, enum thread_word word)
{
	uint64_t sum;

	if (device_is_host(device))
		return 0;
	pthread_mutex_lock(&lock);
	atomic_store(&summing, true);
	sum = sums[device_ordinal(device)].ended.of[word];
	for (const struct thread_stats *at = all; at; at = at->next)
		if (at->device == device)
			sum += word_value(at, word);
	atomic_store(&summing, false);
	pthread_mutex_unlock(&lock);
	return sum;
}

TORN uint64_t thread_word_about(const struct device *device,
				enum thread_word word)
{
	const struct thread_stats *own = thread_stats_own;
	uint64_t sum = sums[device_ordinal(device)].published.of[word];

	if (own->device != device)
		return sum;
	return sum + word_value(own, word) - own->published.of[word];
}

/* Under lock. */
TORN static void publish(struct thread_stats *stats)
{
	struct thread_words *sum =
		&sums[device_ordinal(stats->device)].published;
	uint64_t now;

#define WORD(name, way) \
	now = way(name); \
	sum->of[WORD_##name] += now - stats->published.of[WORD_##name]; \
	stats->published.of[WORD_##name] = now;
	THREAD_WORD_LIST
#undef WORD
}

/* Under lock; there is at least one thread. */
static void publish_all(const struct device *device)
{
	unsigned int count = 0;

	for (struct thread_stats *at = all; at; at = at->next, count++)
		if (at->device == device)
			publish(at);
	sums[device_ordinal(device)].syncs = count - 1;
	sums[device_ordinal(device)].others = count - 1;
}

void thread_stats_open(struct thread_stats *stats, struct device *device)
{
	pthread_mutex_lock(&lock);
	stats->hits.left = stats->hits.most = LOOK_EVERY;
	stats->device = device;
	stats->next = all;
	all = stats;
	pthread_mutex_unlock(&lock);
}

void thread_stats_turn(struct thread_stats *stats, unsigned int number)
{
	if (stats->mempool == number)
		return;
	pthread_mutex_lock(&lock);
	ordered_join(stats);
	stats->mempool = number;
	ordered_part(stats);
	pthread_mutex_unlock(&lock);
}

TORN void thread_stats_mempool_room(struct thread_stats *stats,
				    unsigned int number, int64_t room)
{
	struct countdown *pool = &stats->mempools[number];

	pthread_mutex_lock(&lock);
	ordered_join(stats);
	pool->most += room - pool->left;
	pool->left = room;
	ordered_part(stats);
	pthread_mutex_unlock(&lock);
}

void thread_stats_close(struct thread_stats *stats)
{
	struct thread_words *ended;
	struct thread_stats **place = &all;

	pthread_mutex_lock(&lock);
	ordered_join(stats);
	publish(stats);
	ended = &sums[device_ordinal(stats->device)].ended;
	words_add(ended, stats);
	for (int i = 0; i < MEMPOOLS; i++)
		ended_mempools[i] +=
			stats->mempools[i].most - stats->mempools[i].left;
	while (*place != stats)
		place = &(*place)->next;
	*place = stats->next;
	*stats = (struct thread_stats){.idle = stats->idle};
	pthread_mutex_unlock(&lock);
}

/* Under lock. What is known of a gauge. A free may be known whose request is
 * not. */
static int64_t known(const struct device *device, enum counter gauge,
		     enum thread_word word)
{
	return (int64_t)(atomic_load(&device->counters[gauge]) +
			 sums[device_ordinal(device)].published.of[word]);
}

/* Under lock. */
static void publish_some(struct thread_stats *stats)
{
	struct device *device = stats->device;
	unsigned int *syncs = &sums[device_ordinal(device)].syncs;

	publish(stats);
	if (!*syncs ||
	    known(device, COUNTER_live_bytes, WORD_live) >
		    (int64_t)atomic_load(&device->counters[COUNTER_live_peak]))
		publish_all(device);
	else
		--*syncs;
}

/* Under lock. Raises the maximum of a gauge, if it has one, to what is known of
 * the gauge. */
static inline void notice(struct device *device, enum counter gauge,
			  enum thread_word word)
{
	enum counter maximum = counter_maximum(gauge);
	int64_t now;

	if (maximum == COUNTER_MAX)
		return;
	now = known(device, gauge, word);
	if (now > 0)
		counter_raise(device, maximum, (uint64_t)now);
}

/* Under lock. The bytes that a thread may take before there may be a new
 * maximum of a gauge. With other threads it gets some more: where they give
 * back what it takes, it would sync all the time otherwise. */
static int64_t room_until(const struct device *device, enum counter gauge,
			  enum thread_word word)
{
	int64_t top =
		(int64_t)atomic_load(&device->counters[counter_maximum(gauge)]);
	int64_t room = top - known(device, gauge, word), more;

	if (!sums[device_ordinal(device)].others)
		return room;
	more = top / MAXIMUM_GRAIN;
	return room + (more < MAXIMUM_MISSED ? more : MAXIMUM_MISSED);
}

/* Under lock. If each request goes to the driver, reserved bytes grow as live
 * bytes do, and have a maximum of their own. */
static int64_t live_room(const struct thread_stats *stats)
{
	int64_t live, reserved;

	live = room_until(stats->device, COUNTER_live_bytes, WORD_live);
	if (!stats->reserves)
		return live;
	reserved = room_until(stats->device, COUNTER_reserved_bytes,
			      WORD_reserved);
	return reserved < live ? reserved : live;
}

/* Under lock. Whether no other thread, and no other context, has anything of
 * the device. */
static bool is_alone(const struct thread_stats *stats)
{
	return stats->alone && stats->device->contexts <= 1;
}

/* Under lock. The thread syncs after so many requests at the latest. */
TORN static void sync_in(struct thread_stats *stats, int64_t requests)
{
	stats->hits.most += requests - stats->hits.left;
	stats->hits.left = requests;
}

/* Does not wait for a thread that asks for sums, unless there is a new
 * maximum. */
TORN void thread_stats_sync(struct thread_stats *stats)
{
	int64_t live;

	if (stats->live.left >= 0 && stats->ordered.left >= 0 &&
	    atomic_load(&summing))
		return;
	pthread_mutex_lock(&lock);
	ordered_join(stats);
	publish_some(stats);
#define COUNTED(counter, word) \
	notice(stats->device, COUNTER_##counter, WORD_##word);
	THREAD_COUNTER_LIST
#undef COUNTED
	live = stats->live.most - stats->live.left;
	stats->live.left = live_room(stats);
	stats->live.most = live + stats->live.left;
	ordered_part(stats);
	sync_in(stats, is_alone(stats) ? LOOK_ALONE : LOOK_EVERY);
	pthread_mutex_unlock(&lock);
}

void thread_stats_alone(struct thread_stats *stats, bool alone)
{
	pthread_mutex_lock(&lock);
	stats->alone = alone;
	if (!alone && stats->hits.left > LOOK_EVERY)
		sync_in(stats, LOOK_EVERY);
	pthread_mutex_unlock(&lock);
}

void thread_stats_room(struct thread_stats *stats, int64_t most)
{
	pthread_mutex_lock(&lock);
	stats->idle.left += most - stats->idle.most;
	stats->idle.most = most;
	pthread_mutex_unlock(&lock);
}

void thread_stats_claim_reserved(void)
{
	struct device *device;
	uint64_t moved;

	pthread_mutex_lock(&lock);
	for (struct thread_stats *at = all; at; at = at->next) {
		publish(at);
		at->reserved = 0;
		at->published.of[WORD_reserved] = 0;
	}
	for (int i = 0; i < DEVICE_MAX; i++) {
		device = device_at(i);
		moved = sums[i].published.of[WORD_reserved];
		sums[i].published.of[WORD_reserved] = 0;
		sums[i].ended.of[WORD_reserved] = 0;
		/* Not by counter_add, which may take the lock. */
		atomic_fetch_add(&device->counters[COUNTER_reserved_bytes],
				 moved);
		device_claim(device, moved);
	}
	pthread_mutex_unlock(&lock);
}

TORN int64_t thread_stats_mempool(unsigned int number, bool *several)
{
	int64_t sum;

	pthread_mutex_lock(&lock);
	sum = ended_mempools[number];
	for (const struct thread_stats *at = all; at; at = at->next)
		sum += ordered_bytes(at, number);
	*several = all && all->next;
	pthread_mutex_unlock(&lock);
	return sum;
}

TORN void thread_stats_mempool_open(unsigned int number)
{
	pthread_mutex_lock(&lock);
	ended_mempools[number] = 0;
	for (const struct thread_stats *at = all; at; at = at->next)
		ended_mempools[number] -= ordered_bytes(at, number);
	pthread_mutex_unlock(&lock);
}

/* Counts as the fast path does, if the thread has a cache. */
TORN bool thread_count_alloc(const struct device *device, size_t size, bool hit)
{
	struct thread_stats *own = thread_stats_own;
	bool due;

	if (own->device != device)
		return false;
	due = figure_add(&own->live.left, -size) < 0;
	due |= !hit || figure_add(&own->hits.left, -UINT64_C(1)) < 0;
	if (due)
		thread_stats_sync(own);
	return true;
}

TORN bool thread_count_free(const struct device *device, size_t size)
{
	struct thread_stats *own = thread_stats_own;

	if (own->device != device)
		return false;
	figure_add(&own->live.left, size);
	figure_add(&own->frees, 1);
	return true;
}
