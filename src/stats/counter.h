/* The counters of a device. What threads count for themselves is not among its
 * own until it is asked for here; see thread_stats.h. */
#ifndef MNM_COUNTER_H
#define MNM_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context/context.h"

/* Which functions a counter is for is said by its kind, see counter_list.h.
 * The caller needs no lock. A sum or a gauge grows by n. */
static inline void counter_add(struct device *device, enum counter counter,
			       uint64_t n);
/* A gauge shrinks by n; or a sum, by what did not happen after all. */
void counter_sub(struct device *device, enum counter counter, uint64_t n);
/* A maximum is at least this. */
void counter_raise(struct device *device, enum counter maximum, uint64_t value);
uint64_t counter_get(const struct device *device, enum counter counter);
/* All of them, as of one moment of what threads have counted. */
void counters_get(const struct device *device, uint64_t values[COUNTER_MAX]);
/* As counter_get, of what threads have published: no lock, and no walk. A
 * maximum is that which has been noticed. */
uint64_t counter_approx(const struct device *device, enum counter counter);
/* The same of a gauge, below nothing where a free is known and its request is
 * not: what is right in a sum of several. */
int64_t counter_balance(const struct device *device, enum counter gauge);
/* A request is served, how: COUNTER_hits or COUNTER_misses; a block is freed.
 */
void device_count_alloc(struct device *device, size_t size, enum counter how);
void device_count_free(struct device *device, size_t size);
/* It was not freed after all. */
void device_uncount_free(struct device *device, size_t size);
/* Claims span bytes of the device, whatever the limits say (limit.h); what the
 * claim got is then counted as reserved, or the claim dropped. */
void device_claim(struct device *device, size_t span);
void device_unclaim(struct device *device, size_t span);
/* Of what is claimed, so much is not for a pool; less than nothing drops it
 * with its claim. */
void device_claim_unpooled(struct device *device, int64_t change);
void device_reserve(struct device *device, size_t span);
/* Ends both. */
void device_unreserve(struct device *device, size_t span);
/* Sets COUNTER_quarantined_bytes; returns what it was. */
uint64_t quarantine_set(struct device *device, uint64_t bytes);
/* A request that found no room begins, and ends. */
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
	/* The compiler knows the answer where it knows the counter. */
	if (counter_maximum(counter) != COUNTER_MAX)
		counter_raise_maximum(device, counter);
}

#endif
