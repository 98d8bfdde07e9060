/* Blocks on their way back to the driver. All of it runs on the program's own
 * threads, with no lock held across a driver call; while a capture is on only
 * where memory is short, in a mode in which that does not end the capture. */
#ifndef MNM_RECLAIM_H
#define MNM_RECLAIM_H

#include "context/context.h"

/* Gives back idle blocks of the device, of all its contexts and pools: what
 * waits for it and what graphs hold, then as few as make at least so many bytes
 * in all, and waits for other threads that are giving back. Returns the bytes
 * given back by this call. */
size_t reclaim_now(struct device *device, size_t bytes);

/* Whether one more try of a request that lacks memory may find room; the last
 * has given back so many bytes. */
bool reclaim_may_help(const struct device *device, int tries, size_t given);

/* Gives back what one context has idle or held, also while a capture is on:
 * the frees that CUDA would have made, before the context ends. */
void reclaim_context(struct context *context);

/* Gives back the blocks that a swap or a trim has left. For frees on that
 * device only: CUDA's own wait for it, an allocation does not. One load when
 * there are none. */
void reclaim_run(struct device *device);

/* Gives one such block back, for who knows that no free waits now; false: none
 * is left that can go. */
bool reclaim_one(struct device *device);

/* Idle blocks of the heap of at least so many bytes are to go back at the next
 * free, which may wait for the device as CUDA's does: an allocation may not. */
void reclaim_shed(struct heap *heap, size_t bytes);

/* For frees on that device only: what is idle past a limit that is a number
 * goes back. */
void reclaim_past_limit(struct device *device);

/* A context of the device has blocks in its pending list. */
void reclaim_request(struct device *device);

#endif
