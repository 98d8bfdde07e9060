/* Which streams the process gives work to.
 *
 * As long as it is one stream of one context, no fence is needed: whatever the
 * new holder of a freed block queues comes after what the old one queued, in
 * that stream. Then device->safe is at its maximum, and an allocation costs
 * what it costs at level none. The first work for another stream waits until
 * one fence stands between all work so far and all later work; from then on
 * fences make blocks safe. Once one stream has been alone again for some
 * hundred requests, the next fence orders all work so far before that stream's
 * later work, and its order is used again.
 *
 * That is a proof only if every entry that can queue work is one of our hooks,
 * and either tells of its work by stream_work_begin() and stream_work_end(), or
 * ends the proof by stream_order_opaque(). src/hooks/gen_work writes these
 * hooks from the toolkit's headers. */
#ifndef MNM_STREAM_ORDER_H
#define MNM_STREAM_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "legacy.h"
#include "streams.h"

struct CUstream_st;
struct device;

/* Keys that are no stream's handle. The second and the third have the values of
 * CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. */
#define SOLE_NONE       ((uintptr_t)0)
#define SOLE_LEGACY     ((uintptr_t)1)
#define SOLE_PER_THREAD ((uintptr_t)2)
#define SOLE_ENDED      ((uintptr_t)3) /* the sole one was destroyed */
#define SOLE_MANY       UINTPTR_MAX

/* The one stream that was given work at all, or since a fence. Only
 * stream_order.c writes it. */
extern _Atomic uintptr_t sole_stream;

/* A stream is given work that is not known to be the sole one. */
void stream_order_first(uintptr_t key);

/* A call that queues work in a stream begins, or one that takes its place in
 * the stream's order and is no work by itself. per_thread: stream 0 means the
 * calling thread's own. */
static inline void stream_call_begin(struct CUstream_st *stream,
				     bool per_thread, bool works)
{
	uintptr_t key = stream       ? (uintptr_t)stream
			: per_thread ? SOLE_PER_THREAD
				     : SOLE_LEGACY;
	uintptr_t sole;

	if (__builtin_expect(key == SOLE_PER_THREAD, 0))
		stream_per_thread_used();
	if (key == SOLE_LEGACY)
		legacy_here = true;
	if (__builtin_expect(
		    atomic_load_explicit(&legacy_due, memory_order_relaxed), 0))
		legacy_call_begin(stream, per_thread);
	/* First: see stream_order_return_begin. */
	calls_enter_for(works ? key : CALLS_NO_WORK);
	sole = atomic_load_explicit(&sole_stream, memory_order_acquire);
	if (sole != key && sole != SOLE_MANY)
		stream_order_first(key);
}

static inline void stream_work_begin(struct CUstream_st *stream,
				     bool per_thread)
{
	stream_call_begin(stream, per_thread, true);
}

/* That call has returned. The second is for one that has surely queued work
 * which comes after all that was queued in its stream before. */
static inline void stream_work_end(void)
{
	calls_leave();
	if (legacy_here)
		legacy_work_end(false);
}

static inline void stream_launch_end(bool queued)
{
	calls_leave();
	if (legacy_here)
		legacy_work_end(queued);
}

/* The first of all these calls, in any thread, is about to begin. */
void stream_work_starts(void);

/* Called within such a call if its work may not be in one stream's order. Once
 * this returns, nobody relies on that order. */
void stream_order_break(void);

/* From now on, work may be queued that mnm does not see, or that is in no
 * stream's order. Stream order ends, and never comes back. */
void stream_order_opaque(void);

/* stream_order_bar ends stream order as stream_order_break does. The order does
 * not come back before stream_order_unbar has been called as many times. */
void stream_order_bar(void);
void stream_order_unbar(void);

/* The program waits for a stream, or for all streams: then what was reused
 * before is in order with all streams. If the wait succeeds, the caller gives
 * what stream_order_wait_begin returned to one of the other two. */
uint64_t stream_order_wait_begin(void);
void stream_order_wait_end(struct CUstream_st *stream, bool per_thread,
			   uint64_t hits);
void stream_order_wait_end_all(uint64_t hits);

/* The stream is about to be destroyed; its handle may become another
 * stream's. */
void stream_order_stream_ended(struct CUstream_st *stream);

/* Lets stream order make reuse safe from now on, on a device whose level and
 * contexts allow it. Returns false if there are several streams, or there may
 * be. */
bool stream_order_try(struct device *device);

/* A fence of the device is about to be made. Returns 0 unless one stream has
 * been alone for long enough, and no call is under way that may give work to
 * others. Otherwise the caller gives the number to stream_order_return once the
 * fence has been made: then stream order is back, unless another stream was
 * given work meanwhile. */
unsigned int stream_order_return_begin(struct device *device);
void stream_order_return(struct device *device, unsigned int begun);

/* Whether one stream alone seems to have been given work during the last
 * ALONE_REQUESTS requests; if nobody watches that, a trial begins. It is no
 * proof, and nothing may be reused because of it: work may have been queued
 * unseen. But a fence then most likely holds up no work of another stream, and
 * so costs no more than its calls. */
bool stream_order_seems_alone(struct device *device);

/* Whether stream order makes reuse safe on the device now. */
bool stream_order_holds(const struct device *device);

#endif
