/* Where a pool's memory comes from: the driver's own allocation calls, in the
 * name of the program (take) or on our own account (the others). */
#ifndef MNM_BACKING_H
#define MNM_BACKING_H

#include <stddef.h>
#include <stdint.h>

struct CUctx_st;

/* All return a CUresult. */

/* Allocates span bytes in the current context. */
int backing_take(size_t span, uint64_t *addr);

/* Frees memory of a context that is not being destroyed. Waits for the
 * device, as cuMemFree does. */
int backing_give(struct CUctx_st *context, uint64_t addr);

/* Waits for all work queued in a context so far. */
int backing_wait(struct CUctx_st *context);

#endif
