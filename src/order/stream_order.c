#include <pthread.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "calls.h"
#include "capture.h"
#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "common/log.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"
#include "stats/counter.h"

/* How many requests one stream must be alone for before its order comes back.
 * They are few compared with what a program does in a phase. A program that
 * uses a second stream now and then should not pay each time for the end of an
 * order. */
#ifndef RETURN_REQUESTS
#define RETURN_REQUESTS 300
#endif

/* How many requests one stream must be alone for before fences are taken to
 * hold up no other. If that proves wrong, a fence was made too many; and one in
 * a hundred requests is made in any case. */
#ifndef ALONE_REQUESTS
#define ALONE_REQUESTS 32
#endif

_Atomic uintptr_t sole_stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mixed = PTHREAD_COND_INITIALIZER;
/* Under lock. */
static bool mixing; /* a thread makes the fences; nobody relies on order */
static int barred;  /* see stream_order_bar */
static __thread bool mixing_here; /* the calling thread makes them */
static unsigned int trials;       /* so far; the number of this one */
/* Written under lock. The device of a trial, or NULL if there is none; and the
 * requests that the device had by then. */
static struct device *_Atomic trial;
static _Atomic uint64_t trial_since;
static _Atomic bool opaque; /* also under lock: the order is gone for good */

void stream_order_first(uintptr_t key)
{
	uintptr_t sole = SOLE_NONE;

	if (!serving_is_on())
		return;
	if (key != SOLE_PER_THREAD &&
	    (atomic_compare_exchange_strong(&sole_stream, &sole, key) ||
	     sole == key))
		return;
	stream_order_break();
}

/* `ordered` first: a thread that ends the order then finds it wherever `safe`
 * was set. */
static void order_begin(struct device *device)
{
	atomic_store(&device->ordered, true);
	atomic_store(&device->safe, UINT64_MAX);
	quarantine_set(device, 0);
}

/* heaps_each takes each context's lock, so requests that were just served by
 * what was safe then have been counted. */
static void requests_pass(struct heap *heap, void *arg)
{
	(void)heap;
	(void)arg;
}

/* Whether the sole stream has no work left under which a block was freed. If
 * so, a fence would only hold up work of other streams, for which that stream
 * may wait. */
static bool order_is_over(struct device *device, uintptr_t key)
{
	heaps_each(requests_pass, NULL);
	gate_pass();
	return counter_get(device, COUNTER_hits) == device->idle_hits ||
	       (key > SOLE_ENDED && backing_stream_is_idle((CUstream)key));
}

/* First no block is taken without a fence any more; then a fence is made. */
static void order_end(struct device *device)
{
	device->ordered = false;
	if (fence_level() != REUSE_NONE)
		fence_restart(device);
	if (order_is_over(device, atomic_load(&sole_stream)))
		return;
	if (!fence_force(device))
		log_warn("device %d: a second stream is used, and can't be "
			 "ordered behind the first",
			 device_ordinal(device));
}

/* Under lock, which is left meanwhile. A block that was taken while stream
 * order held was freed before the order ended here, and the work of its old
 * holder was queued before that: the fences cover it. */
static void stream_order_mix(void)
{
	if (mixing_here) /* a tool's call, within a call of the fence's */
		return;
	while (mixing)
		thread_await(&mixed, &lock, NULL);
	if (!trial && atomic_load(&sole_stream) != SOLE_MANY) {
		mixing = mixing_here = true;
		pthread_mutex_unlock(&lock);
		for (int i = 0; i < DEVICE_MAX; i++)
			if (atomic_load(&device_at(i)->ordered))
				order_end(device_at(i));
		pthread_mutex_lock(&lock);
		mixing = mixing_here = false;
		pthread_cond_broadcast(&mixed);
	}
	trial = NULL;
	atomic_store(&sole_stream, SOLE_MANY);
}

/* No work has been queued so far, so none can use what was freed until now.
 * Under lock: work that is not seen comes after this, or `opaque` is set by
 * then. */
void stream_work_starts(void)
{
	uint64_t bytes;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < DEVICE_ALL && !opaque; i++)
		epoch_over(device_at(i), epoch_end(device_at(i), &bytes));
	pthread_mutex_unlock(&lock);
}

void stream_order_break(void)
{
	if (atomic_load(&sole_stream) == SOLE_MANY || !serving_is_on())
		return;
	serving_guard_fork();
	pthread_mutex_lock(&lock);
	stream_order_mix();
	pthread_mutex_unlock(&lock);
}

void stream_order_opaque(void)
{
	if (!serving_is_on())
		return;
	serving_guard_fork();
	pthread_mutex_lock(&lock);
	stream_order_mix();
	opaque = true;
	pthread_mutex_unlock(&lock);
}

void stream_order_bar(void)
{
	serving_guard_fork();
	pthread_mutex_lock(&lock);
	barred++;
	stream_order_mix();
	pthread_mutex_unlock(&lock);
}

void stream_order_unbar(void)
{
	pthread_mutex_lock(&lock);
	barred--;
	pthread_mutex_unlock(&lock);
}

/* Under lock. Whether it can be told that one stream is alone. */
static bool may_try(const struct device *device)
{
	return !barred && !capture_any() && context_count() == 1 &&
	       device->contexts == 1;
}

/* Under lock. Whether one stream's order can serve at all. */
static bool may_return(const struct device *device)
{
	return !opaque && may_try(device);
}

/* Under lock. From now on it is seen which streams are given work, but not to
 * which streams calls give work that began before. */
static void trial_begin(struct device *device, uint64_t requests)
{
	trial = device;
	trials++;
	trial_since = requests;
	atomic_store(&sole_stream, SOLE_NONE);
}

/* A call that began before the trial is either over by now, with its work
 * before the fence to come, or it is seen to be under way. */
unsigned int stream_order_return_begin(struct device *device)
{
	uint64_t requests = counter_approx(device, COUNTER_allocs);
	uintptr_t ended = SOLE_ENDED;
	unsigned int number = 0;

	pthread_mutex_lock(&lock);
	if ((trial ? trial != device
		   : atomic_load(&sole_stream) == SOLE_MANY) &&
	    may_try(device))
		trial_begin(device, requests);
	/* All work of a stream that has ended is before that fence, too. */
	if (trial == device && !opaque &&
	    requests >= trial_since + RETURN_REQUESTS) {
		atomic_compare_exchange_strong(&sole_stream, &ended, SOLE_NONE);
		number = trials;
	}
	pthread_mutex_unlock(&lock);
	return number && calls_are_over() ? number : 0;
}

void stream_order_return(struct device *device, unsigned int number)
{
	pthread_mutex_lock(&lock);
	if (trial == device && trials == number && may_return(device)) {
		trial = NULL;
		order_begin(device);
	}
	pthread_mutex_unlock(&lock);
}

/* The lock is taken once in ALONE_REQUESTS at most. */
bool stream_order_seems_alone(struct device *device)
{
	uint64_t requests = counter_approx(device, COUNTER_allocs);

	if (requests < atomic_load(&trial_since) + ALONE_REQUESTS)
		return false;
	if (atomic_load(&trial) == device)
		return true;
	if (atomic_load(&sole_stream) != SOLE_MANY)
		return false;
	pthread_mutex_lock(&lock);
	if (!trial && atomic_load(&sole_stream) == SOLE_MANY && may_try(device))
		trial_begin(device, requests);
	pthread_mutex_unlock(&lock);
	return false;
}

/* The device of the sole stream: while there is one stream, it is the only
 * device. */
static struct device *device_ordered(void)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->ordered)
			return device_at(i);
	return NULL;
}

uint64_t stream_order_wait_begin(void)
{
	struct device *device = NULL;

	if (atomic_load(&sole_stream) != SOLE_MANY)
		device = device_ordered();
	return device ? counter_get(device, COUNTER_hits) : 0;
}

void stream_order_wait_end_all(uint64_t hits)
{
	struct device *device = hits ? device_ordered() : NULL;

	if (device)
		atomic_store(&device->idle_hits, hits);
}

void stream_order_wait_end(CUstream stream, bool per_thread, uint64_t hits)
{
	uintptr_t key = stream       ? (uintptr_t)stream
			: per_thread ? SOLE_PER_THREAD
				     : SOLE_LEGACY;

	if (atomic_load(&sole_stream) == key)
		stream_order_wait_end_all(hits);
}

void stream_order_stream_ended(struct CUstream_st *stream)
{
	uintptr_t key = (uintptr_t)stream;

	if (key > SOLE_PER_THREAD)
		atomic_compare_exchange_strong(&sole_stream, &key, SOLE_ENDED);
}

bool stream_order_try(struct device *device)
{
	bool sole;

	if (atomic_load(&sole_stream) == SOLE_MANY || atomic_load(&opaque))
		return false;
	if (!backing_is_known())
		stream_order_opaque();
	pthread_mutex_lock(&lock);
	sole = !mixing && !trial && atomic_load(&sole_stream) != SOLE_MANY;
	if (sole)
		order_begin(device);
	pthread_mutex_unlock(&lock);
	return sole;
}

bool stream_order_holds(const struct device *device)
{
	return fence_level() == REUSE_FENCE &&
	       atomic_load(&device->safe) == UINT64_MAX;
}
