/* Pinned host memory: what differs from a device's.
 *
 * The CPU may touch it at once, so a freed block is reused only after the host
 * has seen the end of all work that was queued before the free, in all
 * contexts: by events that are asked, not waited for; by the program's own wait
 * for its only context; or, where the quarantine is full, by a wait in the
 * free, as CUDA's has one. */
#ifndef MNM_PINNED_ORDER_H
#define MNM_PINNED_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct context;
struct heap;

/* The context's heap for these flags of cuMemHostAlloc, on the calling
 * thread's NUMA node. NULL: unknown flags, or no memory. */
struct heap *heap_pinned(struct context *context, unsigned int flags);

/* An allocation found only blocks that are not safe yet. True: look again. */
bool host_ready(void);

/* The machine's memory, bytes; 0: unknown. */
size_t host_bytes(void);

#endif
