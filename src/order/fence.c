#include <sched.h>
#include <stdatomic.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "capture.h"
#include "context/context.h"
#include "fence.h"
#include "fence_fail.h"
#include "fence_make.h"
#include "pinned_order.h"
#include "common/log.h"
#include "seal.h"
#include "wait.h"
#include "stream_order.h"
#include "stats/counter.h"

#define QUARANTINE_MAX   ((size_t)512 << 20) /* bytes */
#define QUARANTINE_SHARE 20                  /* a twentieth of the device */

/* FENCE_ADVANCE allows ten fences before requests have paid for any, so that a
 * small program reuses memory from the start. A program with huge buffers fills
 * its quarantine sooner, and gets its fences by that. */
enum { FENCE_ADVANCE = 900 };

/* How many quarantines of fresh memory may take the place of fences in all, and
 * the part of the quarantine that is left once memory has run out. Without a
 * bound, jobs whose sizes don't come back only grow (docs/results, 2026-11-21,
 * fences). */
enum { SPARED_QUARANTINES = 2, QUARANTINE_REST = 128 };

enum {
	WAITS_MAX = 3,     /* of the host, where one has to succeed */
	FENCE_YIELDS = 64, /* to a thread that makes a fence */
};

enum { ROOM_SHARE = 8 }; /* of the quarantine, in a thread's cache */

static _Atomic enum fence_level level;

enum fence_level fence_level(void)
{
	return atomic_load_explicit(&level, memory_order_relaxed);
}

void fence_restart(struct device *device)
{
	uint64_t all = UINT64_MAX;

	if (!atomic_compare_exchange_strong(&device->safe, &all, 0))
		return;
	/* Last: what is freed meanwhile may be counted twice, but is
	 * counted. */
	quarantine_set(device, 0);
	counter_add(device, COUNTER_quarantined_bytes,
		    counter_get(device, COUNTER_idle_bytes));
}

void fence_level_set(enum fence_level now)
{
	atomic_store(&level, now);
	for (int i = 0; i < DEVICE_ALL; i++)
		if (now == REUSE_NONE)
			atomic_store(&device_at(i)->safe, UINT64_MAX);
		else
			fence_restart(device_at(i));
	gate_recompute(NULL);
}

void fence_quarantine_set(size_t bytes)
{
	for (int i = 0; i < DEVICE_ALL; i++)
		atomic_store(&device_at(i)->quarantine, bytes);
	gate_recompute(NULL);
}

/* Sets the bytes of a device, or of the host. Returns false if they are
 * unknown. */
static bool bytes_of(const struct device *device, size_t *bytes)
{
	if (!device_is_host(device))
		return !backing_device_bytes(device_ordinal(device), bytes);
	*bytes = host_bytes();
	return *bytes;
}

static size_t quarantine_limit(struct device *device)
{
	size_t limit =
		atomic_load_explicit(&device->quarantine, memory_order_relaxed);
	size_t total;

	if (limit != SIZE_AUTO)
		return limit;
	if (!bytes_of(device, &total))
		return 0;
	limit = total / QUARANTINE_SHARE;
	if (limit > QUARANTINE_MAX)
		limit = QUARANTINE_MAX;
	atomic_compare_exchange_strong(&device->quarantine,
				       &(size_t){SIZE_AUTO}, limit);
	return limit;
}

int device_check(struct device *device, int res)
{
	if (!backing_is_lost(res) || atomic_exchange(&device->lost, true))
		return res;
	gate_recompute(device);
	log_warn("device %d has failed with error %d: every call goes to CUDA",
		 device_ordinal(device), res);
	return res;
}

/* Whether fences may be made of the device's work at all. */
static bool fence_is_possible(const struct device *device)
{
	return fence_level() == REUSE_FENCE && !device_is_host(device) &&
	       !device->lost && !device->unfenced && backing_has_fences();
}

/* Whether contexts of other devices may use the device's memory. Their work is
 * not put in order with the device's own, because kernels of two devices may
 * wait for each other. */
static bool device_has_peers(const struct device *device)
{
	return device->has_peers || device->shared;
}

bool context_is_alone(const struct device *device)
{
	return atomic_load(&device->contexts) == 1 && !device_has_peers(device);
}

/* Whether events cover all work that may use the device's memory: in a fence,
 * or as events that are asked. */
static bool fence_covers(const struct device *device)
{
	return fence_is_possible(device) &&
	       (device_has_peers(device) ||
		atomic_load(&device->contexts) <= FENCE_CONTEXTS);
}

bool fence_is_plain(const struct device *device)
{
	return fence_level() == REUSE_NONE || fence_covers(device);
}

/* Whether the requests so far are worth one more fence. */
static bool fence_is_due(const struct device *device)
{
	return atomic_load(&device->fence_credit) <=
	       counter_approx(device, COUNTER_allocs) + FENCE_ADVANCE;
}

/* For a request. One thread at a time makes a fence. Others take fresh memory
 * rather than wait, because a fence may take long where a queue is full. */
static bool fence_begin(struct device *device, uint64_t seen)
{
	for (int i = 0; atomic_exchange(&device->fencing, true); i++) {
		if (i == FENCE_YIELDS || atomic_load(&device->safe) != seen)
			return false;
		sched_yield();
	}
	return true;
}

/* Makes all safe that was freed so far; `seen` is what was safe when the caller
 * looked. Returns false if it can't now. */
static bool fence_make(struct device *device, uint64_t seen)
{
	unsigned int back;

	if (fence_begin(device, seen)) {
		/* A fence of another thread serves this one, too. */
		if (atomic_load(&device->safe) == seen) {
			back = stream_order_return_begin(device);
			if (!fence_failed(device, fence_try(device)) && back)
				stream_order_return(device, back);
		}
		atomic_store(&device->fencing, false);
	}
	return atomic_load(&device->safe) != seen;
}

/* Makes a fence or a seal, whichever the device needs; otherwise as
 * fence_make. */
static bool make_safe(struct device *device, uint64_t seen)
{
	return device_has_peers(device) ? seal_ready(device)
					: fence_make(device, seen);
}

/* The limit of the quarantine; once memory has run out, what is left of it. */
static size_t limit_now(struct device *device)
{
	return quarantine_limit(device) /
	       (device->oom_seen ? QUARANTINE_REST : 1);
}

/* No room before the first free that asks, because the driver has to tell how
 * large the device is. */
size_t fence_room(const struct device *device)
{
	size_t limit = atomic_load(&device->quarantine);

	if (fence_is_plain(device))
		return SIZE_MAX;
	if (limit == SIZE_AUTO)
		return 0;
	return limit / (device->oom_seen ? QUARANTINE_REST : 1) / ROOM_SHARE;
}

static bool quarantine_is_full(struct device *device, size_t more)
{
	return counter_approx(device, COUNTER_quarantined_bytes) + more >
	       limit_now(device);
}

static bool spared_enough(struct device *device)
{
	return atomic_load(&device->fresh_since_fence) / SPARED_QUARANTINES >
	       limit_now(device);
}

void fence_fresh_taken(struct device *device, size_t size)
{
	atomic_fetch_add(&device->fresh_since_fence, size);
}

void fence_keep(struct device *device, size_t span)
{
	enum fence_level now = fence_level();

	if (now == REUSE_NONE || capture_any() ||
	    (now == REUSE_FENCE &&
	     (atomic_load(&device->safe) == UINT64_MAX ||
	      fence_covers(device) || !quarantine_is_full(device, span))))
		return;
	device_wait(device);
}

void fence_kept(struct device *device, size_t span, uint64_t epoch)
{
	if (epoch >= atomic_load(&device->safe))
		counter_add(device, COUNTER_quarantined_bytes, span);
}

static bool order_is_enough(struct device *device)
{
	return fence_covers(device) && context_is_alone(device) &&
	       stream_order_try(device);
}

/* Whether fresh memory no longer takes the place of a fence. */
static bool fence_is_worth(struct device *device)
{
	return fence_is_due(device) || quarantine_is_full(device, 0) ||
	       spared_enough(device) || stream_order_seems_alone(device);
}

static bool fence_if(struct device *device, bool wanted)
{
	uint64_t seen = atomic_load(&device->safe);

	if (capture_any())
		return false;
	if (device_is_host(device))
		return host_ready();
	if (order_is_enough(device))
		return true;
	if (!fence_covers(device))
		return false;
	if (device_has_peers(device) && seal_is_on(device))
		return seal_ready(device);
	return (wanted || fence_is_worth(device)) && make_safe(device, seen);
}

bool fence_ready(struct device *device)
{
	return fence_if(device, false);
}

bool fence_wanted(struct device *device)
{
	return fence_if(device, true);
}

void fence_ahead(struct device *device, uint64_t freed)
{
	if (freed && freed >= atomic_load(&device->safe) &&
	    !device_is_host(device) && stream_order_seems_alone(device))
		(void)fence_ready(device);
}

bool fence_pressed(struct device *device)
{
	uint64_t seen = atomic_load(&device->safe);

	if (!atomic_exchange(&device->oom_seen, true))
		gate_recompute(device);
	atomic_store(&device->fresh_since_fence,
		     0); /* idle memory goes back now */
	if (capture_any())
		return false;
	if (device_is_host(device))
		return host_ready();
	if (order_is_enough(device))
		return true;
	return fence_covers(device) &&
	       (counter_get(device, COUNTER_quarantined_bytes) ||
		seal_is_on(device)) &&
	       make_safe(device, seen);
}

/* Waits until it is known of each context whether it ends. Returns whether all
 * have ended, and their work with them. The threads that made these calls may
 * not have been told yet. */
static bool work_has_ended(const struct device *device)
{
	struct context_walk walk = {0};
	bool ended = true;

	for (struct context *at; (at = context_next_using(&walk, device));) {
		context_await(at);
		ended &= at->dead;
	}
	return ended;
}

static bool fence_now(struct device *device)
{
	return !device->unfenced && backing_has_fences() &&
	       !fence_failed(device, fence_try(device));
}

bool fence_force(struct device *device)
{
	bool made = false;

	if (!device->contexts)
		return true;
	for (int i = 0; !made && !device->lost && i < WAITS_MAX; i++)
		made = fence_now(device) || work_has_ended(device);
	for (int i = 0; !made && !device->lost && i < WAITS_MAX; i++)
		made = device_wait(device);
	return made || device->lost;
}

void fence_drain(struct context *context)
{
	if (fence_level() == REUSE_NONE || context->device->lost)
		return;
	for (int i = 0; !capture_any() && i < WAITS_MAX; i++)
		if (device_wait(context->device))
			return;
	fences_wait(context->device, NULL, UINT64_MAX);
}
