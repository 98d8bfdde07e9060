/* Limits. The hard limit is what the process may have of a device's memory,
 * served by a pool or not. Past a soft limit, idle blocks go back before more
 * is taken: there is one for what the pools have of a device, and one for
 * pinned memory. All may change at any time. */
#ifndef MNM_LIMIT_H
#define MNM_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct device;

enum limit { LIMIT_POOL, LIMIT_HARD, LIMIT_HOST, LIMIT_MAX };

/* In bytes; 0 means that there is no limit. LIMIT_HOST may be SIZE_AUTO. If
 * more is taken than a new limit allows, idle memory goes back at the next
 * free. */
void limit_set(enum limit limit, size_t bytes);
size_t limit_get(enum limit limit);

/* Claims span bytes for a pool. Returns false if that would pass the hard or
 * the soft limit. */
bool limit_claim(struct device *device, size_t span);

/* As limit_claim, but gives idle blocks back to make room; once nothing is idle
 * any more, only the hard limit counts. If not pooled, the claim is for memory
 * that no pool has, and only the hard limit counts. */
bool limit_claim_pressed(struct device *device, size_t span, bool pooled);

/* Bytes that may be pinned before idle blocks go back: MNM_HOST_LIMIT, by
 * default a quarter of the machine's memory. */
size_t host_limit(void);

/* By how many bytes too much pinned memory would be idle if so many more were.
 * By default RLIMIT_MEMLOCK limits that. What the program itself may pin is for
 * CUDA to decide. */
size_t host_past(size_t more);

#endif
