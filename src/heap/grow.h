/* A pool that places blocks gets more memory to place them in. */
#ifndef MNM_GROW_H
#define MNM_GROW_H

#include <stdbool.h>
#include <stddef.h>

#include <mnm/place.h>

struct heap;
struct pool;

/* Takes what the pool lacks for span bytes, in the heap's context, which is
 * current, and adds it to the pool, which has something checked out. `pressed`
 * is as in heap_alloc. `apart`: what it takes is not to lie beside what the
 * pool has, as that may not be used by now and the two would be joined. A pool
 * that was swapped out meanwhile gets nothing. Returns a CUresult, or
 * TAKE_LIMITED. The caller holds no lock. */
int heap_grow(struct heap *heap, struct pool *pool, size_t span,
	      enum mnm_growth rule, bool pressed, bool apart);

#endif
