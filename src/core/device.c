#include <stdatomic.h>

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

uint64_t counter_get(const struct device *device, enum counter counter)
{
	return atomic_load_explicit(&device->counters[counter],
				    memory_order_relaxed);
}

void counter_add_peak(struct device *device, enum counter counter,
		      enum counter peak, uint64_t n)
{
	uint64_t now = n + atomic_fetch_add_explicit(&device->counters[counter],
						     n, memory_order_relaxed);
	uint64_t top = counter_get(device, peak);

	while (now > top && !atomic_compare_exchange_weak_explicit(
				    &device->counters[peak], &top, now,
				    memory_order_relaxed, memory_order_relaxed))
		;
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
	counter_add_peak(device, COUNTER_reserved_bytes, COUNTER_reserved_peak,
			 span);
}

void device_unreserve(struct device *device, size_t span)
{
	counter_sub(device, COUNTER_reserved_bytes, span);
	device_unclaim(device, span);
}
