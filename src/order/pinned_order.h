/* Pinned host memory: what differs from a device's.
 *
 * The CPU may touch a block at once, so a freed block is reused only after the
 * host has seen the end of all work that was queued before the free, in all
 * contexts. The host sees this by events that it asks and does not wait for, or
 * by the program's own wait for its only context. If the quarantine is full, it
 * sees it by a wait in the free, such as CUDA's free makes. */
#ifndef MNM_PINNED_ORDER_H
#define MNM_PINNED_ORDER_H

#include <stdbool.h>
#include <stddef.h>

struct context;
struct heap;

/* The context's heap for these flags of cuMemHostAlloc, on the calling thread's
 * NUMA node. Returns NULL if a flag is unknown, or there is no memory. */
struct heap *heap_pinned(struct context *context, unsigned int flags);

/* An allocation found only blocks that are not safe yet. Returns true if it
 * should look again. */
bool host_ready(void);

/* The machine's memory in bytes; 0 if it is unknown. */
size_t host_bytes(void);

#endif
