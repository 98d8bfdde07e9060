/* What the process may have of a device's memory, served by a pool or not: the
 * hard limit. And from where on idle blocks go back before more is taken: the
 * soft ones, of what pools have of a device, and of pinned memory. All may
 * change at any time. */
#ifndef MNM_LIMIT_H
#define MNM_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct device;

enum limit { LIMIT_POOL, LIMIT_HARD, LIMIT_HOST, LIMIT_MAX };

/* Bytes; 0: none. That of LIMIT_HOST may be SIZE_AUTO. Where more is taken than
 * a new limit allows, what is idle goes back at the next free. */
void limit_set(enum limit limit, size_t bytes);
size_t limit_get(enum limit limit);

/* Claims span bytes for a pool, within both limits. */
bool limit_claim(struct device *device, size_t span);

/* The same, where only the hard limit counts once nothing is idle any more; and
 * for memory that no pool has (not pooled). */
bool limit_claim_pressed(struct device *device, size_t span, bool pooled);

/* Bytes that may be pinned before idle blocks go back: MNM_HOST_LIMIT, by
 * default a quarter of the machine's memory. */
size_t host_limit(void);

/* Whether one more block of that span may be kept idle: by default, as many as
 * RLIMIT_MEMLOCK allows. What the program holds is CUDA's to allow. */
bool host_keeps(size_t span);

#endif
