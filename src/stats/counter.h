/* The figures of a device. What threads count for themselves is not among its
 * own until it is told; it is asked for from here. */
#ifndef MNM_COUNTER_H
#define MNM_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context/context.h"

/* What a thread counts for itself, or several do. */
struct stats {
	uint64_t hits, frees, freed, idle, live;
	uint64_t taken, given, reserved; /* of pools that keep nothing */
};

/* The threads' figures. */
struct stats_source {
	/* Sums over all threads, also of those that have ended. */
	struct stats (*sum)(const struct device *device);
	/* The same without a lock or a walk: the calling thread's own are
	 * exact, those of others as of when they were last told. */
	struct stats (*approx)(const struct device *device);
	/* The calling thread counts a request, or a free; false: it counts
	 * none of that device. And it sees to its figures. */
	bool (*count_alloc)(const struct device *device, size_t size, bool hit);
	bool (*count_free)(const struct device *device, size_t size);
	void (*sync)(const struct device *device);
};

/* There is one; it stays. Before, no thread counts any. */
void counters_source(const struct stats_source *source);

void counter_add(struct device *device, enum counter counter, uint64_t n);
void counter_sub(struct device *device, enum counter counter, uint64_t n);
uint64_t counter_get(const struct device *device, enum counter counter);
/* All of them, as of one look at what threads have counted. */
void counters_get(const struct device *device, uint64_t values[COUNTER_MAX]);
/* As counter_get, of what threads have told: no lock, and no walk. A peak is
 * that which has been noticed. */
uint64_t counter_approx(const struct device *device, enum counter counter);
/* A peak is at least this. */
void counter_lift(struct device *device, enum counter peak, uint64_t now);
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

#endif
