#include <pthread.h>

#include "cuda/backing.h"
#include "idle_limit.h"
#include "idle_places.h"
#include "context/context.h"
#include "limit.h"
#include "stats/counter.h"
#include "stats/thread_stats.h"

/* In percent of the most that was live. What is reserved is held below HELD
 * once a pool that keeps all would take more than KEEPS_ALL. If it would take
 * more than FITS_LESS, idle blocks serve smaller requests; past ROUNDS_UP,
 * fresh blocks are made larger for that. Past WORTH_MOST, keeping all is not
 * worth it, however long no new span comes. */
enum {
	HELD = 130,
	KEEPS_ALL = 145,
	FITS_LESS = 200,
	ROUNDS_UP = 300,
	WORTH_MOST = 800,
};

/* In percent of the most that was live, too. PAUSE: once so many bytes were
 * freed since the last new span, the job is taken to repeat itself. SPARE: the
 * bytes that all blocks may have beyond their requests. AHEAD: the most that is
 * left below HELD for requests that come before a free. */
enum { PAUSE = 200, SPARE = 25, AHEAD = 20 };

/* In percent of it as well: new spans of fewer bytes in all end no pause. Where
 * several threads ask, a small one comes now and then for good, as it is not
 * worth a look into other threads' caches. */
enum { NEW_LEAST = 1 };

/* Larger blocks waste at most one part in so many of the device's memory, or a
 * job that fills the device would lack memory that it could have had. */
enum { SPARE_OF_ALL = 32 };

/* Bytes: holding less than this is not worth a call of the driver's. Builds for
 * generated programs (tests/proof.mk) set it lower. */
#ifndef BOUND_LEAST
#define BOUND_LEAST (32 << 20)
#endif
enum { LEAST = BOUND_LEAST };

/* A fresh block may be larger than its request by one part in FRESH_SHARE. */
enum { FRESH_SHARE = 8 };

struct bound {
	struct places places;
	int64_t beyond; /* bytes that such a pool would have beyond ours */
	int64_t spare;  /* bytes that blocks have beyond their requests; less
			 * than 0 if a free was told before its request */
	uint64_t last;  /* bytes freed before the last new spans came */
	uint64_t news;  /* bytes of new spans since then */
	uint64_t ahead; /* bytes to leave for requests before a free */
};

/* What a decision rests on, bytes. */
struct view {
	uint64_t reserved, peak, all; /* all: of a pool that keeps all */
	bool grows;                   /* keeping all does not pay off */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct bound bounds[DEVICE_MAX];

static _Atomic enum idle_kind kind;
static _Atomic size_t number; /* bytes or percent, as the kind says */

void idle_limit_set(const struct idle_limit *limit)
{
	number = limit->number;
	kind = limit->kind;
	for (int i = 0; i < DEVICE_MAX; i++)
		idle_limit_reset(device_at(i));
}

static uint64_t percent(uint64_t bytes, unsigned int part)
{
	return bytes / 100 * part + bytes % 100 * part / 100;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* NULL for the host. */
static struct bound *bound_of(const struct device *device)
{
	return device_is_host(device) ? NULL : &bounds[device_ordinal(device)];
}

/* NULL if nothing is to be learnt of this device. */
static struct bound *idle_limit_of(const struct device *device)
{
	return kind == IDLE_AUTO ? bound_of(device) : NULL;
}

/* The most that was live, or what will be live with `more` bytes. */
static uint64_t peak_of(const struct device *device, size_t more)
{
	uint64_t peak = counter_approx(device, COUNTER_live_peak);
	uint64_t live = counter_approx(device, COUNTER_live_bytes) + more;

	return peak > live ? peak : live;
}

static uint64_t freed_of(const struct device *device)
{
	return atomic_load(&device->freed) +
	       thread_word_about(device, WORD_freed);
}

/* Under lock. Whether new spans come to so much with these bytes that the job
 * does not merely repeat itself. */
static bool is_news(const struct bound *bound, uint64_t peak, uint64_t bytes)
{
	return bound->news + bytes >= percent(peak, NEW_LEAST);
}

/* Under lock. For a request of span bytes that no block of that span serves.
 * fresh: a pool that keeps all would have none, either. */
static struct view view_with(const struct bound *bound,
			     const struct device *device, size_t span,
			     bool fresh)
{
	uint64_t paused = freed_of(device) - bound->last;
	struct view view = {
		.reserved = counter_approx(device, COUNTER_reserved_bytes),
		.peak = peak_of(device, span),
	};
	uint64_t pending = counter_approx(device, COUNTER_pending_bytes);
	int64_t all = (int64_t)(view.reserved - pending) + bound->beyond;

	view.all = (all > 0 ? (uint64_t)all : 0) + (fresh ? span : 0);
	view.grows = view.all > LEAST &&
		     view.all > percent(view.peak, KEEPS_ALL) &&
		     ((fresh && is_news(bound, view.peak, span)) ||
		      paused <= percent(view.peak, PAUSE) ||
		      view.all > percent(view.peak, WORTH_MOST));
	return view;
}

static struct view view_of(const struct bound *bound,
			   const struct device *device, size_t span)
{
	return view_with(bound, device, span,
			 more_of(&bound->places, span) <= 0);
}

/* The bytes of a device that the process can have; 0 if that is not known. */
static uint64_t all_of(const struct device *device)
{
	size_t limit = limit_get(LIMIT_HARD), total;

	if (backing_device_bytes(device_ordinal(device), &total))
		total = 0;
	return limit ? lesser(limit, total) : total;
}

static uint64_t spare_of(const struct bound *bound)
{
	return bound->spare > 0 ? (uint64_t)bound->spare : 0;
}

/* Under lock. The bytes that blocks may still have beyond their requests on a
 * device of `all` bytes. */
static uint64_t spare_left(const struct bound *bound, const struct view *view,
			   uint64_t all)
{
	uint64_t left = lesser(percent(view->peak, SPARE), all / SPARE_OF_ALL);

	if (!view->grows || view->all <= percent(view->peak, FITS_LESS))
		return 0;
	left -= lesser(left, spare_of(bound));
	return left;
}

struct slack idle_limit_slack(struct device *device, size_t span)
{
	struct bound *bound = idle_limit_of(device);
	struct slack slack = {0};
	struct view view;
	uint64_t left, all;

	if (!bound)
		return slack;
	all = all_of(device);
	pthread_mutex_lock(&lock);
	view = view_of(bound, device, span);
	left = spare_left(bound, &view, all);
	pthread_mutex_unlock(&lock);
	slack.idle = lesser(left, span / ROOMY_SHARE);
	if (slack.idle && view.all > percent(view.peak, ROUNDS_UP))
		slack.fresh = lesser(left, span / FRESH_SHARE);
	return slack;
}

/* Under lock. The most that may be reserved. */
static uint64_t held_to(const struct bound *bound, const struct view *view)
{
	uint64_t most = percent(view->peak, HELD);

	if (view->grows)
		most -= lesser(most, bound->ahead);
	else if (most < view->all + spare_of(bound))
		most = view->all + spare_of(bound);
	return most > LEAST ? most : LEAST;
}

size_t idle_limit_excess(struct device *device, size_t span, size_t taken)
{
	struct bound *bound = idle_limit_of(device);
	struct view view;
	uint64_t most, kept;

	if (!bound)
		return 0;
	pthread_mutex_lock(&lock);
	view = view_of(bound, device, span);
	most = held_to(bound, &view);
	pthread_mutex_unlock(&lock);
	kept = view.reserved + taken;
	most += counter_approx(device, COUNTER_pending_bytes);
	return kept > most ? kept - most : 0;
}

/* Under lock. A pool that keeps all would have taken so many bytes anew. */
static void news_add(struct bound *bound, const struct device *device,
		     uint64_t bytes)
{
	bool end = is_news(bound, peak_of(device, 0), bytes);

	bound->news += bytes;
	if (!end)
		return;
	bound->last = freed_of(device);
	bound->news = 0;
}

/* Under lock. A request of span bytes is served by a block of another span, or
 * by a fresh one. Whether it is a repeat. */
static bool repeat_take(struct bound *bound, const struct device *device,
			size_t span)
{
	if (more_of(&bound->places, span) > 0) {
		more_add(&bound->places, span, -1);
		return true;
	}
	news_add(bound, device, span);
	return false;
}

void idle_limit_checkout(struct device *device, size_t span, size_t given)
{
	struct bound *bound = bound_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	bound->spare += (int64_t)(given - span);
	if (kind == IDLE_AUTO) {
		if (!repeat_take(bound, device, span))
			bound->beyond += (int64_t)span;
		more_add(&bound->places, given, 1);
	}
	pthread_mutex_unlock(&lock);
}

/* Under lock. Learns how much more than HELD is reserved while frees are
 * awaited. */
static void ahead_learn(struct bound *bound, const struct device *device,
			size_t span)
{
	struct view view = view_of(bound, device, span);
	uint64_t held = percent(view.peak, HELD), past;

	if (!view.grows || view.reserved <= held || view.reserved <= LEAST)
		return;
	past = lesser(view.reserved - held, percent(view.peak, AHEAD));
	if (bound->ahead < past)
		bound->ahead = past;
}

void idle_limit_taken(struct device *device, size_t span, size_t given)
{
	struct bound *bound = bound_of(device);
	bool repeat;

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	bound->spare += (int64_t)(given - span);
	if (kind == IDLE_AUTO) {
		repeat = repeat_take(bound, device, span);
		bound->beyond -= (int64_t)(repeat ? given : given - span);
		ahead_learn(bound, device, span);
	}
	pthread_mutex_unlock(&lock);
}

void idle_limit_checkin(struct device *device, size_t span, size_t given)
{
	struct bound *bound = bound_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	bound->spare -= (int64_t)(given - span);
	if (kind == IDLE_AUTO) {
		more_add(&bound->places, given, -1);
		more_add(&bound->places, span, 1);
	}
	pthread_mutex_unlock(&lock);
}

/* Under lock. As idle_limit_slack, for requests of spans that are not known. So
 * each counts as a repeat. */
static size_t lease_left(const struct bound *bound, const struct device *device,
			 uint64_t all)
{
	struct view view = view_with(bound, device, 0, false);

	return spare_left(bound, &view, all);
}

void idle_limit_lease(struct device *device, const struct roomy_event *events,
		      size_t count, unsigned int sharers, struct lease *lease)
{
	struct bound *bound = bound_of(device);
	uint64_t all = all_of(device), turn;
	const struct roomy_event *at;
	size_t fresh;
	bool learns;

	pthread_mutex_lock(&lock);
	turn = atomic_load(&device->idle_turn);
	learns = kind == IDLE_AUTO && lease->turn == turn;
	for (at = events; at < &events[count]; at++) {
		bound->spare += at->more * (int64_t)(at->given - at->span);
		fresh = learns ? places_learn(&bound->places, at) : 0;
		bound->beyond += (int64_t)(fresh * at->span);
		if (fresh)
			news_add(bound, device, fresh * at->span);
	}
	lease->turn = turn;
	lease->left = kind == IDLE_AUTO
			      ? lease_left(bound, device, all) / sharers
			      : 0;
	pthread_mutex_unlock(&lock);
}

void idle_limit_shed(struct device *device, size_t span)
{
	struct bound *bound = idle_limit_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	more_add(&bound->places, span, 1);
	bound->beyond += (int64_t)span;
	pthread_mutex_unlock(&lock);
}

size_t idle_limit_surplus(struct device *device, size_t below)
{
	struct bound *bound = idle_limit_of(device);
	size_t span;

	if (!bound)
		return 0;
	pthread_mutex_lock(&lock);
	span = places_surplus(&bound->places, below);
	pthread_mutex_unlock(&lock);
	return span;
}

/* What blocks have to spare stays: their frees are told all the same. */
void idle_limit_reset(struct device *device)
{
	struct bound *bound = bound_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	places_clear(&bound->places);
	*bound =
		(struct bound){.spare = bound->spare, .last = freed_of(device)};
	atomic_fetch_add(&device->idle_turn, 1);
	pthread_mutex_unlock(&lock);
}

size_t idle_limit_idle_most(const struct device *device)
{
	if (device_is_host(device))
		return SIZE_MAX;
	if (kind == IDLE_BYTES)
		return number;
	if (kind == IDLE_PERCENT)
		return percent(peak_of(device, 0), (unsigned int)number);
	return SIZE_MAX;
}

size_t idle_limit_past(const struct device *device)
{
	size_t most = idle_limit_idle_most(device);
	uint64_t idle;

	if (most == SIZE_MAX)
		return 0;
	most += counter_get(device, COUNTER_pending_bytes); /* go anyway */
	idle = counter_get(device, COUNTER_idle_bytes);
	return idle > most ? idle - most : 0;
}
