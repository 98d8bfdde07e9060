/* Which ways to leave a thread come to the same.
 *
 * A thread that is left at its n-th point goes on when the others have run. Had
 * it been left at the next point instead, what it does between the two would
 * have come before what the others did meanwhile. That makes no difference
 * unless both access the same place and one of them changes it. So as long as
 * there is no such access, the next point need not be tried: that is the idea
 * of partial order reduction (P. Godefroid, Partial-Order Methods for the
 * Verification of Concurrent Systems, Springer 1996). */
#ifndef TESTS_PROOF_WAYS_H
#define TESTS_PROOF_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"

/* Whether ways_access() has to be told. */
extern __attribute__((visibility("default"))) bool ways_watched;

/* A thread is left at a point from here, and goes on from there. */
void ways_leave(int thread);
void ways_go_on(int thread);
/* A thread has come to a point. */
void ways_point(int thread);
/* A thread accesses a place. */
void ways_access(int thread, const void *at, size_t bytes, enum access access);
/* The points of a thread count no more. Returns at how many, behind the one
 * where it was left, it would be the same to leave it. */
unsigned long ways_end(int thread);

#endif
