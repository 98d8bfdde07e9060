/* Fresh blocks, on the slow path. */
#ifndef MNM_FRESH_H
#define MNM_FRESH_H

#include <stddef.h>
#include <stdint.h>

struct pool;

/* Makes a fresh block known: span bytes that the driver has given at addr for a
 * request of size bytes, which names the pool of CUDA's of that number, or none
 * (0). The pool has checked it out, and it is counted as reserved. If it can't
 * be made known, it is not counted any more. */
void fresh_know(struct pool *pool, size_t span, size_t size,
		unsigned int mempool, uint64_t addr);

/* The pool has checked out span bytes, but there is no block for them: takes
 * that back. */
void fresh_cancel(struct pool *pool, size_t span);

#endif
