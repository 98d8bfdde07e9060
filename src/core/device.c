#include <stdatomic.h>

#include "context.h"

static struct device devices[DEVICE_MAX];

struct device *device_at(int ordinal)
{
	return &devices[ordinal];
}

int device_ordinal(const struct device *device)
{
	return (int)(device - devices);
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

bool counter_replace(struct device *device, enum counter counter, uint64_t *now,
		     uint64_t next)
{
	return atomic_compare_exchange_weak_explicit(
		&device->counters[counter], now, next, memory_order_relaxed,
		memory_order_relaxed);
}
