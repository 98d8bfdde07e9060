/* Giving blocks back to the driver. The driver is called by the program's own
 * threads and by the giver (giver.h), with no lock held across a call. While a
 * capture is on, that is done only where memory is short or a context is about
 * to end, in a mode in which it does not end the capture. */
#ifndef MNM_RECLAIM_H
#define MNM_RECLAIM_H

#include "context/context.h"

/* Gives back idle blocks of the device, of all its contexts and pools: first
 * the pending ones and those that graphs hold, then others, as few as make at
 * least so many bytes in all. Then waits for other threads that are giving
 * back. Returns the bytes that this call has given back. A thread that may not
 * wait does as owed_now (owed.h). */
size_t reclaim_now(struct device *device, size_t bytes);

/* Whether a request that lacks memory may find room if it is tried once more,
 * after so many tries. The last one has given back so many bytes. */
bool reclaim_may_help(const struct device *device, int tries, size_t given);

/* Gives back what one context has idle or held, before the context ends:
 * without mnm the program's frees would have done so. Does it while a capture
 * is on, too. */
void reclaim_context(struct context *context);

/* Gives back the device's pending blocks, and those of pinned memory if there
 * is no other device. For frees on that device only: CUDA's own free waits for
 * the device, an allocation does not. One load when there are none. */
void reclaim_run(struct device *device);

/* Gives one pending block back, for a caller that knows that no free of the
 * driver's waits now (rest.h). Returns its bytes; 0 if none is left that can
 * go. */
size_t reclaim_one(struct device *device);

/* Makes one idle block of the device pending. Returns false if none is left
 * that can be made so now. */
bool reclaim_part(struct device *device);

/* Makes idle blocks of the heap, of at least so many bytes, pending. They go
 * back at the next free, which may wait for the device as CUDA's does; an
 * allocation may not. */
void reclaim_shed(struct heap *heap, size_t bytes);

/* Gives back what is idle past an idle limit that is a number, or past what the
 * host may keep. For frees on that device only. */
void reclaim_past_limit(struct device *device);

/* Says that a context of the device has pending blocks. */
void reclaim_request(struct device *device);

#endif
