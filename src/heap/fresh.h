/* Blocks that the driver has just given, on the slow path. */
#ifndef MNM_FRESH_H
#define MNM_FRESH_H

#include <stddef.h>
#include <stdint.h>

struct pool;

/* The pool has checked out span bytes, which the driver has given at addr for a
 * request of that size, and which are counted as reserved: the block is known,
 * or it can't be and counts no more. */
void fresh_know(struct pool *pool, size_t span, size_t size, uint64_t addr);

/* The pool has checked out span bytes, which are not to be had after all. */
void fresh_cancel(struct pool *pool, size_t span);

#endif
