/* The legacy stream and those that wait for it.
 *
 * In CUDA a request or a free in the legacy stream of a context comes after all
 * that was queued so far in streams of the context that wait for it, and before
 * all that is queued in them later; on a GPU a request did so only if its
 * memory came from a free that was not over. CUDA is not told of those that mnm
 * serves. So where there are such streams, or may be, a mark takes that place:
 * an event is recorded in the legacy stream, which waits for it. The order that
 * follows from it is noted (stream_past.h).
 *
 * Nobody can tell where between two actions of others the mark was set. So it
 * is left until one of these is about to happen: work, an event or a wait in a
 * stream that waits for the legacy one, an event in that one or a wait for it,
 * the end of a stream, a capture. What is queued in the legacy stream itself
 * comes after all that waits for it, marked or not. Where some actions go
 * unseen, the mark is set at once. (While a stream captures, CUDA itself serves
 * such requests and frees.)
 *
 * A request or a free in a stream that waits for the legacy one comes after the
 * work there, and so does whoever waits for that stream. A mark in it takes
 * that place as well, but only if the legacy stream has had work or a request
 * since the last one: all its work is looked at for that, and what threads
 * remember of streams that wait is cleared with the first such work. */
#ifndef MNM_LEGACY_H
#define MNM_LEGACY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct context;

/* Other streams of the context wait for its legacy stream, or did so before
 * they were destroyed; of all contexts if it is NULL. Returns false if that was
 * known before. */
bool legacy_join(struct context *context);
bool legacy_is_joined(const struct context *context);

/* A mark for one request or free. */
struct legacy_mark {
	struct context *context; /* NULL: there is nothing to be noted */
	uint64_t epoch;          /* what was freed in an epoch below, in streams
				  * that wait, comes before it */
	bool again;              /* the next one needs a mark whatever happens
				  * meanwhile */
	bool later;              /* it is set before the next action */
};

/* Sets a mark in the stream, of the current context, if it needs one. To be
 * called before the request is served or the free is made. In the legacy stream
 * it makes the call in the program's own capture mode: what CUDA refuses there,
 * it would refuse of the program. Returns a CUresult. */
int legacy_mark_set(struct legacy_mark *mark, struct context *context,
		    struct CUstream_st *stream, bool per_thread);

/* What is queued from now on in streams that wait comes after the mark, and
 * after what was freed in the legacy stream so far. Once the request is served,
 * or the free is made, the mark is due, if it is one for later. */
void legacy_mark_note(const struct legacy_mark *mark);
void legacy_mark_end(const struct legacy_mark *mark);

/* A request or a free in the context's legacy stream was made: its mark is
 * due. Work that is queued there later takes the mark's place. */
void legacy_mark_later(struct context *context);

/* Not 0: marks are due, or are being set; at least as many as contexts have
 * some. */
extern _Atomic unsigned int legacy_due;

/* Sets all marks that are due. Returns once those are set that were due before
 * the call, unless a capture has begun. The second sets them all the same: they
 * are of requests that began before the capture. The third sets those of the
 * stream's context if the stream is a legacy one, or waits for that; it is for
 * calls that queue no work. */
void legacy_settle(void);
void legacy_settle_late(void);
void legacy_settle_for(struct CUstream_st *stream, bool per_thread);

/* The context has ended, and what was due there. */
void legacy_ended(struct context *context);

/* Some actions go unseen from now on: no mark is left for later. The caller
 * settles those that are due, unless it may hold locks. */
void legacy_actions_unseen(void);

/* Marks are due, and a call that may queue work in the stream begins: sets them
 * if the stream waits for the legacy one. */
void legacy_call_begin(struct CUstream_st *stream, bool per_thread);

/* The calling thread is in a call that queues work in a legacy stream. Set by
 * stream_work_begin. */
extern __thread bool legacy_here;

/* Such a call has returned; `queued`: its work takes the place of the marks
 * that were due as it began. Or the legacy stream has got something to wait
 * for: streams that wait for it need a mark at their next request or free. */
void legacy_work_end(bool queued);
void legacy_worked(void);

#endif
