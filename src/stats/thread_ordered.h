/* What a thread counts of stream-ordered memory: a part of two sums, kept
 * apart, so that the fast path has one word to change and to look at. Under the
 * lock of thread_stats.c. */
#ifndef MNM_THREAD_ORDERED_H
#define MNM_THREAD_ORDERED_H

#include "thread_stats.h"

/* For functions that read words while they change. */
#define TORN __attribute__((no_sanitize("thread")))

/* By the words' own thread. The first adds the part to both sums. The second
 * keeps a part apart again, which has no bytes yet. */
void ordered_join(struct thread_stats *stats);
void ordered_part(struct thread_stats *stats);

/* The bytes that the thread counts for a pool of CUDA's. */
int64_t ordered_bytes(const struct thread_stats *stats, unsigned int number);

#endif
