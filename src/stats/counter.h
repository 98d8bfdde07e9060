/* The counters of a device. device->counters lacks what threads count for
 * themselves: the functions here add it. See thread_stats.h. */
#ifndef MNM_COUNTER_H
#define MNM_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context/context.h"

/* The kind of a counter says which of these functions it is for, see
 * counter_list.h. The caller needs no lock. counter_add adds n to a sum or a
 * gauge. */
static inline void counter_add(struct device *device, enum counter counter,
			       uint64_t n);
/* A gauge shrinks by n; or a sum does, by what did not happen after all. */
void counter_sub(struct device *device, enum counter counter, uint64_t n);
/* Raises a maximum to at least this. */
void counter_raise(struct device *device, enum counter maximum, uint64_t value);
uint64_t counter_get(const struct device *device, enum counter counter);
/* All counters, with what threads had counted at one moment. */
void counters_get(const struct device *device, uint64_t values[COUNTER_MAX]);
/* As counter_get, with what threads have published: takes no lock, and does not
 * walk over threads. A maximum is the one that has been noticed so far. */
uint64_t counter_approx(const struct device *device, enum counter counter);
/* As counter_approx, for a gauge. It is negative if a free is known and its
 * request is not, which is right in a sum of several gauges. */
int64_t counter_balance(const struct device *device, enum counter gauge);
/* A request is served (how: COUNTER_hits or COUNTER_misses); a block is
 * freed. */
void device_count_alloc(struct device *device, size_t size, enum counter how);
void device_count_free(struct device *device, size_t size);
/* The block was not freed after all. */
void device_uncount_free(struct device *device, size_t size);
/* Claims span bytes of the device, whatever the limits say (limit.h). The
 * caller then counts what the claim got (device_reserve), or drops the
 * claim. */
void device_claim(struct device *device, size_t span);
void device_unclaim(struct device *device, size_t span);
/* Claims that many bytes for memory that no pool has; a negative number drops
 * such a claim. */
void device_claim_unpooled(struct device *device, int64_t change);
void device_reserve(struct device *device, size_t span);
/* Undoes device_claim and device_reserve. */
void device_unreserve(struct device *device, size_t span);
/* Sets COUNTER_quarantined_bytes; returns what it was. */
uint64_t quarantine_set(struct device *device, uint64_t bytes);
/* pressure_begin: a request has found no memory. pressure_end: that request is
 * over. */
void pressure_begin(struct device *device);
void pressure_end(struct device *device);

/* The maximum of a gauge; COUNTER_MAX if it has none. */
static inline enum counter counter_maximum(enum counter gauge)
{
#define IS_SUM             false
#define IS_GAUGE           false
#define IS_MAXIMUM         false
#define IS_MAXIMUM_OF(its) (gauge == COUNTER_##its)
#define IS_TOTAL           false
#define COUNTER(name, kind, unit, help) \
	if (IS_##kind) \
		return COUNTER_##name;
	COUNTER_LIST
#undef COUNTER
	return COUNTER_MAX;
}

/* What counter_add does for a gauge that has a maximum. */
void counter_raise_maximum(struct device *device, enum counter gauge);

static inline void counter_add(struct device *device, enum counter counter,
			       uint64_t n)
{
	atomic_fetch_add_explicit(&device->counters[counter], n,
				  memory_order_relaxed);
	/* The compiler decides this if it knows the counter. */
	if (counter_maximum(counter) != COUNTER_MAX)
		counter_raise_maximum(device, counter);
}

#endif
