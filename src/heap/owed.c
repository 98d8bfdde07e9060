#include <stdatomic.h>
#include <time.h>

#include "context/context.h"
#include "deferred_free.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/marks.h"
#include "owed.h"
#include "reclaim.h"
#include "rest.h"
#include "stats/counter.h"

/* So long the rest of a request that fails otherwise goes on though somebody
 * waits for its end. A call waits for ten times as long at most (calls.c). Any
 * other rest ends once somebody waits. */
enum { OWN_NS = 100000000 };

static uint64_t own_until; /* the present rest; CLOCK_MONOTONIC, in ns */

static __thread int forbidden;

/* The thread's present call has waited in vain. Another thread's wait does not
 * let it wait once more. */
static __thread bool patience_spent;

/* The program has not come to rest by itself in the thread's present call. */
static __thread bool restless;

void waits_forbid(void)
{
	if (!forbidden++)
		patience_spent = restless = false;
}

void waits_allow(void)
{
	forbidden--;
}

bool waits_are_forbidden(void)
{
	return forbidden > 0;
}

void owed_add(struct device *device, size_t bytes)
{
	size_t before = atomic_load(&device->owed);

	while (before < bytes &&
	       !atomic_compare_exchange_weak(&device->owed, &before, bytes))
		;
}

static uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In a rest. */
static size_t rest_own_give_one(struct device *device)
{
	if (calls_have_come() ||
	    (rest_is_awaited() && clock_now() >= own_until))
		return 0;
	return rest_give_one(device);
}

/* Without a rest. */
static size_t idle_give_one(struct device *device)
{
	return device_is_idle(device) ? reclaim_one(device) : 0;
}

static bool idle_begin(const struct device *device, int looks)
{
	bool idle = device_is_idle(device);

	for (int i = 1; i < looks && !idle; i++) {
		rest_nap(i);
		idle = device_is_idle(device);
	}
	return idle;
}

static size_t give(struct device *device, size_t bytes,
		   size_t (*give_one)(struct device *device))
{
	size_t given = 0, span;

	deferred_free_release(device);
	do {
		span = give_one(device);
		if (!span && given < bytes && reclaim_part(device))
			span = give_one(device);
		given += span;
	} while (span);
	if (given)
		counter_add(device, COUNTER_trims, 1);
	return given;
}

/* Where mnm can't see all calls, a block goes if the device has had no work
 * just before. */
static bool moment_comes(const struct device *device, int looks)
{
	if (!calls_are_all_seen())
		return idle_begin(device, looks);
	return rest_begin(device, looks);
}

/* What others free while this thread waits is theirs to use again: it is no
 * help before the program rests. */
static bool moment_comes_late(struct device *device)
{
	bool pressed = device->pressed > 0, come;

	if (pressed)
		pressure_end(device);
	come = !restless && moment_comes(device, REST_PATIENT);
	if (!come) {
		restless = true;
		come = calls_are_all_seen() && rest_force(device);
	}
	if (pressed)
		pressure_begin(device);
	return come;
}

/* Gives back what is pending of the device, what graphs hold, and idle blocks
 * until at least so many bytes have gone, if the program rests. Returns the
 * bytes. Patiently: only that keeps the caller's request from failing. */
static size_t give_at_rest(struct device *device, size_t bytes, bool patiently)
{
	size_t given;

	if (!(patiently ? moment_comes_late(device)
			: moment_comes(device, REST_NOW)))
		return 0;
	if (!calls_are_paused_here())
		return give(device, bytes, idle_give_one);
	own_until = clock_now() + (patiently ? OWN_NS : 0);
	given = give(device, bytes, rest_own_give_one);
	rest_end();
	return given;
}

/* The bytes that could go back, at most. */
static size_t bytes_idle(const struct device *device)
{
	return counter_get(device, COUNTER_idle_bytes) +
	       counter_get(device, COUNTER_held_bytes);
}

size_t owed_try(struct device *device, size_t bytes)
{
	size_t given = give_at_rest(device, bytes, false);

	if (!given)
		owed_add(device, bytes);
	return given;
}

/* Once a request has waited in vain, the next ones don't wait, until the
 * program has: what they lack will not come before that. */
size_t owed_now(struct device *device, size_t bytes)
{
	size_t idle, given;
	bool patient;

	rest_await();
	idle = bytes_idle(device);
	if (!idle)
		return 0;
	patient = (bytes <= idle || bytes == SIZE_MAX) &&
		  !atomic_load(&device->waited_in_vain) &&
		  !(patience_spent && waits_are_forbidden());
	given = give_at_rest(device, bytes, patient);
	if (given)
		return given;
	if (patient) {
		patience_spent = true;
		atomic_store(&device->waited_in_vain, true);
	}
	owed_add(device, bytes);
	return 0;
}

/* What could not go stays owed, as far as it is still there. */
static void owed_give_of(struct device *device)
{
	size_t bytes = atomic_exchange(&device->owed, 0);
	size_t given = give_at_rest(device, bytes, false);
	size_t left = given < bytes ? bytes - given : 0;
	size_t idle = bytes_idle(device);

	if (left && idle)
		owed_add(device, left < idle ? left : idle);
}

static bool owes(const struct device *device)
{
	return atomic_load(&device->owed) || atomic_load(&device->pending);
}

void owed_give(struct device *device)
{
	struct device *host = device_at(DEVICE_HOST);

	if (capture_any())
		return;
	if (owes(device))
		owed_give_of(device);
	if (owes(host))
		owed_give_of(host);
}
