#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/backing.h"
#include "idle_limit.h"
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

/* Larger blocks waste at most one part in so many of the device's memory, or a
 * job that fills the device would lack memory that it could have had. */
enum { SPARE_OF_ALL = 32 };

/* Bytes: holding less than this is not worth a call of the driver's. Builds for
 * generated programs (tests/proof.mk) set it lower. */
#ifndef BOUND_LEAST
#define BOUND_LEAST (32 << 20)
#endif
enum { LEAST = BOUND_LEAST };

/* An idle block may be larger than its request by one part in IDLE_SHARE, a
 * fresh one by one part in FRESH_SHARE. */
enum { IDLE_SHARE = 1, FRESH_SHARE = 8 };

enum { ROOM_LEAST = 256, ROOM_MOST = 1 << 16 }; /* places; powers of two */

/* How many more idle blocks of a span a pool that keeps all would have than our
 * pools have. */
struct place {
	size_t span; /* 0 if the place is free */
	int64_t more;
};

struct bound {
	struct place *places; /* by a hash of the span; or NULL */
	size_t room, count;
	int64_t beyond; /* bytes that such a pool would have beyond ours */
	uint64_t spare; /* bytes that blocks have beyond their requests */
	uint64_t last;  /* bytes freed before the last new span came */
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

/* NULL if nothing is to be learnt of this device. */
static struct bound *idle_limit_of(const struct device *device)
{
	return kind == IDLE_AUTO && !device_is_host(device)
		       ? &bounds[device_ordinal(device)]
		       : NULL;
}

/* Under lock. The place where a span is, or is to be entered; one has to be
 * free. */
static struct place *place_of(const struct bound *bound, size_t span)
{
	size_t i = (span * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	for (;; i++) {
		struct place *place = &bound->places[i & (bound->room - 1)];

		if (!place->span || place->span == span)
			return place;
	}
}

static int64_t more_of(const struct bound *bound, size_t span)
{
	return bound->places ? place_of(bound, span)->more : 0;
}

/* Under lock. Copies only the places whose count is not 0, and fills no more
 * than half. Returns false without memory. */
static bool places_grow(struct bound *bound)
{
	struct bound before = *bound;
	size_t room = before.room ? 2 * before.room : ROOM_LEAST;

	if (room > ROOM_MOST)
		room = ROOM_MOST;
	bound->places = calloc(room, sizeof(*bound->places));
	if (!bound->places) {
		*bound = before;
		return false;
	}
	bound->room = room;
	bound->count = 0;
	for (size_t i = 0; i < before.room; i++) {
		const struct place *old = &before.places[i];

		if (!old->more || bound->count >= room / 2)
			continue;
		*place_of(bound, old->span) = *old;
		bound->count++;
	}
	free(before.places);
	return true;
}

/* Under lock. Without memory the count stays as it was. */
static void more_add(struct bound *bound, size_t span, int64_t change)
{
	struct place *place;

	if (bound->count >= bound->room / 4 * 3 && !places_grow(bound))
		return;
	place = place_of(bound, span);
	if (!place->span) {
		place->span = span;
		bound->count++;
	}
	place->more += change;
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

/* Under lock. For a request of span bytes that no block of that span serves. */
static struct view view_of(const struct bound *bound,
			   const struct device *device, size_t span)
{
	bool fresh = more_of(bound, span) <= 0;
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
		     (fresh || paused <= percent(view.peak, PAUSE) ||
		      view.all > percent(view.peak, WORTH_MOST));
	return view;
}

/* The bytes that the process can have of a device, or 0 if that is not known.
 * The driver is asked once. */
static uint64_t all_of(const struct device *device)
{
	static _Atomic size_t totals[DEVICE_MAX];
	int ordinal = device_ordinal(device);
	size_t limit = limit_get(LIMIT_HARD), total = totals[ordinal];

	if (!total && !backing_device_bytes(ordinal, &total))
		totals[ordinal] = total;
	return limit ? lesser(limit, total) : total;
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
	left = lesser(percent(view.peak, SPARE), all / SPARE_OF_ALL);
	left -= lesser(left, bound->spare);
	pthread_mutex_unlock(&lock);
	if (view.grows && view.all > percent(view.peak, FITS_LESS))
		slack.idle = lesser(left, span / IDLE_SHARE);
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
	else if (most < view->all + bound->spare)
		most = view->all + bound->spare;
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

/* Under lock. A request of span bytes is served by a block of another span, or
 * by a fresh one. Whether it is a repeat. */
static bool repeat_take(struct bound *bound, const struct device *device,
			size_t span)
{
	if (more_of(bound, span) > 0) {
		more_add(bound, span, -1);
		return true;
	}
	bound->last = freed_of(device);
	return false;
}

void idle_limit_checkout(struct device *device, size_t span, size_t given)
{
	struct bound *bound = idle_limit_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	if (!repeat_take(bound, device, span))
		bound->beyond += (int64_t)span;
	more_add(bound, given, 1);
	bound->spare += given - span;
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
	struct bound *bound = idle_limit_of(device);
	bool repeat;

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	repeat = repeat_take(bound, device, span);
	bound->beyond -= (int64_t)(repeat ? given : given - span);
	bound->spare += given - span;
	ahead_learn(bound, device, span);
	pthread_mutex_unlock(&lock);
}

void idle_limit_checkin(struct device *device, size_t span, size_t given)
{
	struct bound *bound = idle_limit_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	more_add(bound, given, -1);
	more_add(bound, span, 1);
	bound->spare -= lesser(bound->spare, given - span);
	pthread_mutex_unlock(&lock);
}

void idle_limit_shed(struct device *device, size_t span)
{
	struct bound *bound = idle_limit_of(device);

	if (!bound)
		return;
	pthread_mutex_lock(&lock);
	more_add(bound, span, 1);
	bound->beyond += (int64_t)span;
	pthread_mutex_unlock(&lock);
}

size_t idle_limit_surplus(struct device *device, size_t below)
{
	struct bound *bound = idle_limit_of(device);
	const struct place *at;
	size_t span = 0;

	if (!bound)
		return 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < bound->room; i++) {
		at = &bound->places[i];
		if (at->more < 0 && at->span < below && at->span > span)
			span = at->span;
	}
	pthread_mutex_unlock(&lock);
	return span;
}

void idle_limit_reset(struct device *device)
{
	struct bound *bound;

	if (device_is_host(device))
		return;
	pthread_mutex_lock(&lock);
	bound = &bounds[device_ordinal(device)];
	free(bound->places);
	memset(bound, 0, sizeof(*bound));
	bound->last = freed_of(device);
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
