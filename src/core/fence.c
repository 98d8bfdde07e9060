#include <stdatomic.h>

#include <cuda.h>

#include "backing.h"
#include "capture.h"
#include "context.h"
#include "fence.h"
#include "log.h"
#include "work.h"

enum { CONTEXTS_MAX = 512 }; /* in one wait */

#define QUARANTINE_MAX   ((size_t)512 << 20) /* bytes */
#define QUARANTINE_SHARE 20                  /* a twentieth of the device */

/* One fence a hundred requests, and ten in advance: a small program reuses
 * from the start, and one with huge buffers has its quarantine full sooner. */
enum { FENCE_PRICE = 100, FENCE_ADVANCE = 900 };

/* What fresh memory may take the place of fences in all, and the part of the
 * quarantine that is left when memory has run out. Without a bound, jobs whose
 * sizes don't come back only grow (docs/results, 2026-11-21, fences). */
enum { SPARED_QUARANTINES = 2, QUARANTINE_REST = 128 };

enum { WAITS_MAX = 3 }; /* of the host, where one has to succeed */

static _Atomic enum fence_level level;

enum fence_level fence_level(void)
{
	return atomic_load_explicit(&level, memory_order_relaxed);
}

void fence_restart(struct device *device)
{
	uint64_t all = UINT64_MAX;

	if (atomic_compare_exchange_strong(&device->safe, &all, 0))
		atomic_store(&device->counters[COUNTER_quarantined_bytes],
			     counter_get(device, COUNTER_idle_bytes));
}

void fence_level_set(enum fence_level now)
{
	atomic_store(&level, now);
	for (int i = 0; i < DEVICE_MAX; i++)
		if (now == FENCE_NONE)
			atomic_store(&device_at(i)->safe, UINT64_MAX);
		else
			fence_restart(device_at(i));
}

void fence_quarantine_set(size_t bytes)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		atomic_store(&device_at(i)->quarantine, bytes);
}

static size_t quarantine_limit(struct device *device)
{
	size_t limit =
		atomic_load_explicit(&device->quarantine, memory_order_relaxed);
	size_t total;

	if (limit != ROOM_AUTO)
		return limit;
	if (backing_device_bytes(device_ordinal(device), &total))
		return 0;
	limit = total / QUARANTINE_SHARE;
	if (limit > QUARANTINE_MAX)
		limit = QUARANTINE_MAX;
	atomic_compare_exchange_strong(&device->quarantine,
				       &(size_t){ROOM_AUTO}, limit);
	return limit;
}

int device_check(struct device *device, int res)
{
	if (!backing_is_lost(res) || atomic_exchange(&device->lost, true))
		return res;
	log_warn("device %d has failed with error %d: every call goes to CUDA",
		 device_ordinal(device), res);
	return res;
}

/* Ends the epoch: work queued before a free of it was queued before this. What
 * is recorded or waited for afterwards covers it. */
static uint64_t epoch_end(struct device *device, uint64_t *bytes)
{
	uint64_t safe = atomic_fetch_add(&device->epoch, 1) + 1;

	*bytes = atomic_exchange(&device->counters[COUNTER_quarantined_bytes],
				 0);
	return safe;
}

/* Blocks of epochs below `safe` may be reused from now on. */
static void epoch_publish(struct device *device, uint64_t safe)
{
	uint64_t before = atomic_load(&device->safe);

	while (before < safe &&
	       !atomic_compare_exchange_weak(&device->safe, &before, safe))
		;
}

/* Whether the work of one context is all that may use the device's memory. */
static bool context_is_alone(const struct device *device)
{
	return fence_level() == FENCE_FENCE &&
	       atomic_load(&device->contexts) == 1 && !device->shared &&
	       !device->lost;
}

/* Whether one event covers all that may use the device's memory. */
static bool fence_reaches(const struct device *device)
{
	return context_is_alone(device) && !device->unfenced &&
	       backing_has_fences();
}

/* Whether the requests so far are worth one more fence. */
static bool fence_is_due(const struct device *device)
{
	return atomic_load(&device->paid) <=
	       counter_get(device, COUNTER_allocs) + FENCE_ADVANCE;
}

/* In a quiet time. */
static void fence_pay(struct device *device)
{
	uint64_t requests = counter_get(device, COUNTER_allocs);
	uint64_t paid = atomic_load(&device->paid);

	atomic_store(&device->paid,
		     (paid > requests ? paid : requests) + FENCE_PRICE);
}

/* In a quiet time, with the device's one context, in use. */
static int fence_make_of(struct context *context)
{
	struct device *device = context->device;
	struct CUevent_st *event = context->fence;
	uint64_t safe, bytes;
	int res = CUDA_SUCCESS;

	if (!event)
		res = backing_event_open(context->handle, &event);
	if (res)
		return res;
	context->fence = event;
	safe = epoch_end(device, &bytes); /* first; see epoch_end */
	res = backing_record(context->handle, event);
	if (!res)
		res = backing_gate(context->handle, event);
	if (res) {
		counter_add(device, COUNTER_quarantined_bytes, bytes);
		return res;
	}
	epoch_publish(device, safe);
	counter_add(device, COUNTER_fences, 1);
	fence_pay(device);
	return CUDA_SUCCESS;
}

static bool fence_failed(struct device *device, int res)
{
	if (res && !backing_is_lost(res) &&
	    !atomic_exchange(&device->unfenced, true))
		log_warn("device %d: a fence failed with error %d: frees wait "
			 "instead",
			 device_ordinal(device), res);
	return device_check(device, res);
}

/* In a quiet time. */
static bool fence_try(struct device *device)
{
	struct context *context;
	bool made = false;

	if (context_hold(device, &context, 1) == 1) {
		if (context_use(context)) {
			made = !fence_failed(device, fence_make_of(context));
			context_unuse(context);
		}
		context_release(&context, 1);
	}
	return made;
}

/* Makes all safe that was freed so far; `seen` is what was safe when the
 * caller looked. False: not now. */
static bool fence_make(struct device *device, uint64_t seen)
{
	bool made;

	if (!quiet_begin())
		return false;
	/* Another thread's serves this one, too. What reaches the device may
	 * have changed before the quiet time, and waits for its end now. */
	made = atomic_load(&device->safe) != seen ||
	       (fence_reaches(device) && fence_try(device));
	quiet_end();
	return made;
}

/* A context that went away behind our back has no work left. */
static int wait_result(struct device *device, int res)
{
	if (res == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
	    res == CUDA_ERROR_INVALID_CONTEXT)
		return CUDA_SUCCESS;
	return device_check(device, res);
}

/* Waits by an event, which a capture that begins meanwhile survives. */
static int event_wait(struct context *context)
{
	struct CUevent_st *event;
	int res = backing_event_open(context->handle, &event);

	if (res)
		return res;
	if (quiet_begin()) {
		res = backing_record(context->handle, event);
		quiet_end();
	} else {
		res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (!res)
		res = backing_event_wait(event);
	backing_event_close(event);
	return res;
}

static int context_wait(struct context *context)
{
	int res = CUDA_ERROR_NOT_SUPPORTED;

	if (!context_use(context))
		return CUDA_SUCCESS; /* its work has ended with it */
	if (backing_has_fences())
		res = event_wait(context);
	/* An old driver: a begin of a capture has to wait until this is over.
	 */
	if (res && !backing_is_lost(res) && quiet_begin()) {
		res = backing_wait(context->handle);
		quiet_end();
	}
	context_unuse(context);
	return res;
}

/* Holds all contexts whose work may use the device's memory; as context_hold.
 * -1 also where one is just ending, as it can't be waited for. */
static int users_hold(struct device *device, struct context **list)
{
	bool all = device->shared;
	int count = context_hold(all ? NULL : device, list, CONTEXTS_MAX);

	if (count < 0 ||
	    count == (all ? context_count() : atomic_load(&device->contexts)))
		return count;
	context_release(list, count);
	return -1;
}

/* Waits for all work that may use the device's memory. The epoch ends first:
 * who comes later, and then frees, is in the next one. */
static bool device_wait(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	uint64_t bytes, safe = epoch_end(device, &bytes);
	int count = users_hold(device, list), res = CUDA_SUCCESS;

	for (int i = 0; i < count && !res; i++)
		res = wait_result(device, context_wait(list[i]));
	if (count > 0)
		context_release(list, count);
	if (count <= 0 || res) {
		counter_add(device, COUNTER_quarantined_bytes, bytes);
		return false;
	}
	epoch_publish(device, safe);
	counter_add(device, COUNTER_syncs, 1);
	return true;
}

/* Of the quarantine; when memory has run out, of what is left of it. */
static size_t limit_now(struct device *device)
{
	return quarantine_limit(device) / (device->tight ? QUARANTINE_REST : 1);
}

static bool quarantine_is_full(struct device *device)
{
	return counter_get(device, COUNTER_quarantined_bytes) >
	       limit_now(device);
}

static bool spared_enough(struct device *device)
{
	return atomic_load(&device->spared) / SPARED_QUARANTINES >
	       limit_now(device);
}

void fence_spared(struct device *device, size_t size)
{
	atomic_fetch_add(&device->spared, size);
}

bool fence_kept(struct device *device, size_t span)
{
	enum fence_level now = fence_level();

	if (now != FENCE_SYNC && atomic_load(&device->safe) == UINT64_MAX)
		return true;
	counter_add(device, COUNTER_quarantined_bytes, span);
	if (now == FENCE_NONE || capture_any())
		return true;
	if (now == FENCE_FENCE &&
	    (fence_reaches(device) || !quarantine_is_full(device)))
		return true;
	return device_wait(device) || !device->lost;
}

static bool order_is_enough(struct device *device)
{
	return fence_reaches(device) && work_order(device);
}

bool fence_ready(struct device *device)
{
	uint64_t seen = atomic_load(&device->safe);

	if (capture_any())
		return false;
	if (order_is_enough(device))
		return true;
	return fence_reaches(device) &&
	       (fence_is_due(device) || quarantine_is_full(device) ||
		spared_enough(device)) &&
	       fence_make(device, seen);
}

bool fence_pressed(struct device *device)
{
	uint64_t seen = atomic_load(&device->safe);

	atomic_store(&device->tight, true);
	atomic_store(&device->spared, 0); /* idle memory goes back now */
	if (capture_any())
		return false;
	if (order_is_enough(device))
		return true;
	return fence_reaches(device) &&
	       counter_get(device, COUNTER_quarantined_bytes) &&
	       fence_make(device, seen);
}

bool fence_force(struct device *device)
{
	bool made = false;

	if (!device->contexts || device->lost)
		return true;
	if (!device->unfenced && backing_has_fences() && quiet_begin()) {
		made = fence_try(device);
		quiet_end();
	}
	for (int i = 0; !made && !device->lost && i < WAITS_MAX; i++)
		made = device_wait(device);
	return made || device->lost;
}

struct fence_sync fence_sync_begin(struct context *context)
{
	struct fence_sync sync = {.device = context ? context->device : NULL};

	if (context && fence_reaches(sync.device) &&
	    counter_get(sync.device, COUNTER_quarantined_bytes))
		sync.safe = epoch_end(sync.device, &sync.bytes);
	return sync;
}

void fence_sync_end(const struct fence_sync *sync, int res)
{
	if (res && sync->device)
		device_check(sync->device, res);
	if (!sync->safe)
		return;
	/* Another context may have come meanwhile; it was not waited for. */
	if (!res && fence_reaches(sync->device))
		epoch_publish(sync->device, sync->safe);
	else
		counter_add(sync->device, COUNTER_quarantined_bytes,
			    sync->bytes);
}

/* Whether freed memory may still be used by work from before. Another thread
 * that waits for that work has taken the bytes, and not yet published. */
static bool work_is_left(const struct device *device)
{
	return counter_get(device, COUNTER_quarantined_bytes) ||
	       counter_get(device, COUNTER_held_blocks) ||
	       atomic_load(&device->safe) < atomic_load(&device->epoch);
}

bool fence_leave(struct device *device)
{
	if (fence_reaches(device) || fence_level() == FENCE_NONE ||
	    !work_is_left(device))
		return true;
	return !capture_any() && device_wait(device);
}

void fence_drain(struct context *context)
{
	struct CUevent_st *event = context->fence;

	if (fence_level() == FENCE_NONE || context->device->lost)
		return;
	for (int i = 0; !capture_any() && i < WAITS_MAX; i++)
		if (device_wait(context->device))
			return;
	if (event && context_use(context)) {
		device_check(context->device, backing_event_wait(event));
		context_unuse(context);
	}
}
