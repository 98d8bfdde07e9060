#include "counter.h"

#include <stdatomic.h>

#include "gate/gate.h"

static struct stats none(const struct device *device)
{
	(void)device;
	return (struct stats){0};
}

static bool count_no_alloc(const struct device *device, size_t size, bool hit)
{
	(void)device, (void)size, (void)hit;
	return false;
}

static bool count_no_free(const struct device *device, size_t size)
{
	(void)device, (void)size;
	return false;
}

static void look_at_none(const struct device *device)
{
	(void)device;
}

static const struct stats_source nobody = {
	.sum = none,
	.approx = none,
	.count_alloc = count_no_alloc,
	.count_free = count_no_free,
	.sync = look_at_none,
};

static const struct stats_source *_Atomic threads = &nobody;

void counters_source(const struct stats_source *to)
{
	atomic_store(&threads, to);
}

static const struct stats_source *source(void)
{
	return atomic_load_explicit(&threads, memory_order_acquire);
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
	if (counter == COUNTER_allocs)
		return own_figure(device, COUNTER_hits) +
		       own_figure(device, COUNTER_misses);
	return atomic_load_explicit(&device->counters[counter],
				    memory_order_relaxed);
}

/* What the caches have of it, if they count it. */
static uint64_t caches_part(const struct stats *caches, enum counter counter)
{
	switch (counter) {
	case COUNTER_quarantined_bytes:
		return caches->freed;
	case COUNTER_live_bytes:
		return caches->live;
	case COUNTER_idle_bytes:
		return caches->idle;
	case COUNTER_frees:
		return caches->frees;
	case COUNTER_hits:
		return caches->hits;
	case COUNTER_allocs:
		return caches->hits + caches->taken;
	case COUNTER_misses:
	case COUNTER_driver_allocs:
		return caches->taken;
	case COUNTER_driver_frees:
		return caches->given;
	case COUNTER_reserved_bytes:
		return caches->reserved;
	default:
		return 0;
	}
}

/* Where one thread frees what another took, the free may have been seen and the
 * request not. In stream order nothing waits for a fence. */
static uint64_t with_caches(const struct device *device, enum counter counter,
			    uint64_t own, const struct stats *caches)
{
	uint64_t sum = own + caches_part(caches, counter);

	if (counter == COUNTER_quarantined_bytes &&
	    atomic_load(&device->safe) == UINT64_MAX)
		return 0;
	return (int64_t)sum > 0 ? sum : 0;
}

/* What has not been noticed yet is part of it. */
static void peak_raise(uint64_t values[COUNTER_MAX], enum counter peak,
		       enum counter now)
{
	if (values[peak] < values[now])
		values[peak] = values[now];
}

static uint64_t all_of(const uint64_t values[COUNTER_MAX])
{
	return values[COUNTER_reserved_bytes] + values[COUNTER_managed_bytes] +
	       values[COUNTER_pitched_bytes] + values[COUNTER_async_bytes] +
	       values[COUNTER_array_bytes] + values[COUNTER_virtual_bytes];
}

/* The own figures first. Of what waits for a fence that is what to add to all
 * that was freed since the caches began, which never falls. */
void counters_get(const struct device *device, uint64_t values[COUNTER_MAX])
{
	struct stats caches;

	for (enum counter i = 0; i < COUNTER_MAX; i++)
		values[i] = own_figure(device, i);
	caches = source()->sum(device);
	for (enum counter i = 0; i < COUNTER_MAX; i++)
		values[i] = with_caches(device, i, values[i], &caches);
	peak_raise(values, COUNTER_live_peak, COUNTER_live_bytes);
	peak_raise(values, COUNTER_reserved_peak, COUNTER_reserved_bytes);
	values[COUNTER_device_bytes] = all_of(values);
}

uint64_t counter_get(const struct device *device, enum counter counter)
{
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	return values[counter];
}

uint64_t counter_approx(const struct device *device, enum counter counter)
{
	uint64_t own = own_figure(device, counter);
	struct stats caches = source()->approx(device);

	return with_caches(device, counter, own, &caches);
}

uint64_t quarantine_set(struct device *device, uint64_t bytes)
{
	uint64_t freed = source()->sum(device).freed;
	_Atomic uint64_t *own = &device->counters[COUNTER_quarantined_bytes];

	return atomic_exchange(own, bytes - freed) + freed;
}

void counter_lift(struct device *device, enum counter peak, uint64_t now)
{
	uint64_t top = own_figure(device, peak);

	while (now > top && !atomic_compare_exchange_weak_explicit(
				    &device->counters[peak], &top, now,
				    memory_order_relaxed, memory_order_relaxed))
		;
}

static void live_add(struct device *device, uint64_t n)
{
	counter_add(device, COUNTER_live_bytes, n);
	if (counter_approx(device, COUNTER_live_bytes) >
	    own_figure(device, COUNTER_live_peak))
		counter_lift(device, COUNTER_live_peak,
			     counter_get(device, COUNTER_live_bytes));
}

void device_count_alloc(struct device *device, size_t size, enum counter how)
{
	bool hit = how == COUNTER_hits;
	bool counted = source()->count_alloc(device, size, hit);

	if (!counted || !hit)
		counter_add(device, how, 1);
	if (!counted)
		live_add(device, size);
}

void device_count_free(struct device *device, size_t size)
{
	if (source()->count_free(device, size))
		return;
	counter_sub(device, COUNTER_live_bytes, size);
	counter_add(device, COUNTER_frees, 1);
}

void device_uncount_free(struct device *device, size_t size)
{
	live_add(device, size);
	counter_sub(device, COUNTER_frees, 1);
	source()->sync(device);
}

void pressure_begin(struct device *device)
{
	device->pressed++;
	gate_recompute(device);
}

void pressure_end(struct device *device)
{
	device->pressed--;
	gate_recompute(device);
}

void device_claim(struct device *device, size_t span)
{
	atomic_fetch_add(&device->claim, span);
}

void device_unclaim(struct device *device, size_t span)
{
	atomic_fetch_sub(&device->claim, span);
}

void device_claim_unpooled(struct device *device, int64_t change)
{
	atomic_fetch_add(&device->claim, (uint64_t)change);
	atomic_fetch_add(&device->unpooled, (uint64_t)change);
}

void device_reserve(struct device *device, size_t span)
{
	counter_add(device, COUNTER_reserved_bytes, span);
	counter_lift(device, COUNTER_reserved_peak,
		     counter_approx(device, COUNTER_reserved_bytes));
}

void device_unreserve(struct device *device, size_t span)
{
	counter_sub(device, COUNTER_reserved_bytes, span);
	device_unclaim(device, span);
}
