/* Which streams the process gives work to.
 *
 * As long as it is one stream of one context, no fence is needed: whatever a
 * freed block's new holder queues comes after what the old one queued, in
 * that stream. Then device->safe is at its maximum, and an allocation costs
 * what it does at level none. The first work for another stream waits until
 * one fence stands between all work so far and all later work; from then on
 * fences do it. Where one stream is alone again for some hundred requests, the
 * next fence orders all work so far before that stream's, and its order serves
 * once more.
 *
 * That is a proof only if every entry that can queue work is one of our
 * hooks, which tell by stream_work_begin() and stream_work_end(), or ends the
 * proof by stream_order_opaque(). src/hooks/gen_work writes them from the
 * toolkit's headers. */
#ifndef MNM_STREAM_ORDER_H
#define MNM_STREAM_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

struct CUstream_st;
struct device;

/* What isn't a stream's handle. The values of the second and third are
 * CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. */
#define SOLE_NONE       ((uintptr_t)0)
#define SOLE_LEGACY     ((uintptr_t)1)
#define SOLE_PER_THREAD ((uintptr_t)2)
#define SOLE_ENDED      ((uintptr_t)3) /* that stream was destroyed */
#define SOLE_MANY       UINTPTR_MAX

/* The one stream that was given work, or that has been since a fence. Only
 * stream_order.c writes it. */
extern _Atomic uintptr_t sole_stream;

/* The stream is not known to be the sole one. */
void stream_order_first(uintptr_t key);

/* A call begins that queues work in a stream. per_thread: stream 0 means the
 * calling thread's own. */
static inline void stream_work_begin(struct CUstream_st *stream,
				     bool per_thread)
{
	uintptr_t key = stream       ? (uintptr_t)stream
			: per_thread ? SOLE_PER_THREAD
				     : SOLE_LEGACY;
	uintptr_t sole;

	calls_enter(); /* first: see stream_order_return_begin */
	sole = atomic_load_explicit(&sole_stream, memory_order_acquire);
	if (sole != key && sole != SOLE_MANY)
		stream_order_first(key);
}

/* It has returned. */
static inline void stream_work_end(void)
{
	calls_leave();
}

/* The first of all these calls is about to begin, in any thread. */
void stream_work_starts(void);

/* Within such a call: one stream's order may not hold for its work. Once this
 * returns, it doesn't matter any more. */
void stream_order_break(void);

/* Work may be queued from now on that we don't see, or that is in no stream's
 * order: the order never comes back. */
void stream_order_opaque(void);

/* As stream_order_break, and the order does not come back before as many calls
 * of the second. */
void stream_order_bar(void);
void stream_order_unbar(void);

/* The program waits for a stream, or for all: what was reused before is then
 * in order with all streams. Begin's answer goes to end, if it succeeded. */
uint64_t stream_order_wait_begin(void);
void stream_order_wait_end(struct CUstream_st *stream, bool per_thread,
			   uint64_t hits);
void stream_order_wait_end_all(uint64_t hits);

/* The stream is about to be destroyed; its handle may become another's. */
void stream_order_stream_ended(struct CUstream_st *stream);

/* Lets stream order make reuse safe from now on, on a device whose level and
 * reach allow it. False: there are several streams, or there may be. */
bool stream_order_try(struct device *device);

/* A fence of the device is about to be made. Not 0: one stream has been alone
 * for long enough, and no call is under way that may bring work to others. Then
 * the second follows once the fence has been made: the order is back, unless
 * another stream was given work meanwhile. */
unsigned int stream_order_return_begin(struct device *device);
void stream_order_return(struct device *device, unsigned int begun);

/* Whether it does. */
bool stream_order_holds(const struct device *device);

#endif
