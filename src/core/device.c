#include <stdatomic.h>

#include "cache.h"
#include "context.h"

static struct device devices[DEVICE_ALL];

struct device *device_at(int ordinal)
{
	return &devices[ordinal];
}

int device_ordinal(const struct device *device)
{
	return (int)(device - devices);
}

bool device_is_host(const struct device *device)
{
	return device == &devices[DEVICE_HOST];
}

void counter_add(struct device *device, enum counter counter, uint64_t n)
{
	atomic_fetch_add_explicit(&device->counters[counter], n,
				  memory_order_relaxed);
}

void counter_sub(struct device *device, enum counter counter, uint64_t n)
{
	atomic_fetch_sub_explicit(&device->counters[counter], n,
				  memory_order_relaxed);
}

static uint64_t own_figure(const struct device *device, enum counter counter)
{
	return atomic_load_explicit(&device->counters[counter],
				    memory_order_relaxed);
}

/* What was freed since the caches began is counted there; own_figure is what
 * to add to that, and is read first, as it never falls below. In stream order
 * nothing waits. */
static uint64_t quarantined(const struct device *device)
{
	uint64_t own;

	if (atomic_load(&device->safe) == UINT64_MAX)
		return 0;
	own = own_figure(device, COUNTER_quarantined_bytes);
	return own + caches_figures(device).freed;
}

/* Where one thread frees what another took, the free may have been seen and the
 * request not. */
static uint64_t not_below_0(uint64_t sum)
{
	return (int64_t)sum > 0 ? sum : 0;
}

static uint64_t live_bytes(const struct device *device)
{
	uint64_t own = own_figure(device, COUNTER_live_bytes);

	return not_below_0(own + caches_figures(device).live);
}

static uint64_t reserved_bytes(const struct device *device)
{
	uint64_t own = own_figure(device, COUNTER_reserved_bytes);

	return not_below_0(own + caches_figures(device).reserved);
}

uint64_t quarantine_set(struct device *device, uint64_t bytes)
{
	uint64_t freed = caches_figures(device).freed;
	_Atomic uint64_t *own = &device->counters[COUNTER_quarantined_bytes];

	return atomic_exchange(own, bytes - freed) + freed;
}

static uint64_t live_peak(const struct device *device)
{
	uint64_t own = own_figure(device, COUNTER_live_peak);
	uint64_t caches = caches_figures(device).live_peak;
	uint64_t now = live_bytes(device);

	own = caches > own ? caches : own;
	return now > own ? now : own;
}

uint64_t counter_get(const struct device *device, enum counter counter)
{
	switch (counter) {
	case COUNTER_live_peak:
		return live_peak(device);
	case COUNTER_quarantined_bytes:
		return quarantined(device);
	case COUNTER_live_bytes:
		return live_bytes(device);
	case COUNTER_idle_bytes:
		return own_figure(device, counter) +
		       caches_figures(device).idle;
	case COUNTER_frees:
		return own_figure(device, counter) +
		       caches_figures(device).frees;
	case COUNTER_reserved_bytes:
		return reserved_bytes(device);
	case COUNTER_driver_allocs:
	case COUNTER_misses:
		return own_figure(device, counter) +
		       caches_figures(device).taken;
	case COUNTER_driver_frees:
		return own_figure(device, counter) +
		       caches_figures(device).given;
	case COUNTER_allocs:
		return counter_get(device, COUNTER_hits) +
		       counter_get(device, COUNTER_misses);
	case COUNTER_hits:
		return own_figure(device, counter) +
		       caches_figures(device).hits;
	default:
		return own_figure(device, counter);
	}
}

static void peak_lift(struct device *device, enum counter peak, uint64_t now)
{
	uint64_t top = own_figure(device, peak);

	while (now > top && !atomic_compare_exchange_weak_explicit(
				    &device->counters[peak], &top, now,
				    memory_order_relaxed, memory_order_relaxed))
		;
}

void counter_add_live(struct device *device, uint64_t n)
{
	uint64_t now;

	counter_add(device, COUNTER_live_bytes, n);
	now = counter_get(device, COUNTER_live_bytes);
	peak_lift(device, COUNTER_live_peak, now);
	if (cache_last->device == device)
		cache_seen(cache_last, now);
}

void counter_sub_live(struct device *device, uint64_t n)
{
	counter_sub(device, COUNTER_live_bytes, n);
	if (cache_last->device == device)
		cache_look(cache_last);
}

void device_press(struct device *device)
{
	device->pressed++;
	caches_review(device);
}

void device_unpress(struct device *device)
{
	device->pressed--;
	caches_review(device);
}

bool device_claim(struct device *device, size_t span, size_t limit)
{
	uint64_t claim = atomic_load(&device->claim);

	do {
		if (limit && (span > limit || claim > limit - span))
			return false;
	} while (!atomic_compare_exchange_weak(&device->claim, &claim,
					       claim + span));
	return true;
}

void device_unclaim(struct device *device, size_t span)
{
	atomic_fetch_sub(&device->claim, span);
}

void device_reserve(struct device *device, size_t span)
{
	counter_add(device, COUNTER_reserved_bytes, span);
	peak_lift(device, COUNTER_reserved_peak, reserved_bytes(device));
}

uint64_t device_peak_room(struct device *device, uint64_t in_caches)
{
	uint64_t own = own_figure(device, COUNTER_reserved_bytes);
	uint64_t now = not_below_0(own + in_caches);

	peak_lift(device, COUNTER_reserved_peak, now);
	return own_figure(device, COUNTER_reserved_peak) - now;
}

void device_unreserve(struct device *device, size_t span)
{
	counter_sub(device, COUNTER_reserved_bytes, span);
	device_unclaim(device, span);
}
