/* Headroom: the part of a device's memory that a pool leaves free for others as
 * long as it has idle memory of its own. */
#ifndef MNM_HEADROOM_H
#define MNM_HEADROOM_H

#include <stddef.h>

struct pool;

/* A block of span bytes is about to be taken from the driver for the pool, in
 * whose context the caller is. If that leaves less than the pool's headroom,
 * all idle memory of the device goes back first; where the caller may not wait,
 * it goes back later. Does nothing during a capture. */
void headroom_keep(const struct pool *pool, size_t span);

#endif
