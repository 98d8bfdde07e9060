/* Streams in whose order the program frees memory (cuMemFreeAsync).
 *
 * What is freed in a stream's order may be used at once by what is queued in
 * that stream from then on, as it comes after all that was done with the memory
 * before. So each stream that memory is freed in has a number, and idle blocks
 * are kept by the number of the stream they were freed in; 0 stands for none.
 * That is the program's own order: no event and no fence is needed for it, and
 * it does not matter whether all work is seen.
 *
 * The legacy stream has the order of those that wait for it as well (legacy.h).
 * A thread that remembers its number makes no marks, so the number ends once
 * there is such a stream, and what it gets then is not remembered.
 *
 * A stream has no number, and what is freed in it waits for a fence as other
 * memory does,
 * - if it is a default stream, once there has been a part of a context (a green
 *   context): that has default streams of its own, with the same handles;
 * - once it was given work that need not wait for all earlier work of the
 *   stream, as programmatic launches;
 * - if all numbers are taken. */
#ifndef MNM_STREAMS_H
#define MNM_STREAMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct context;

/* Grows whenever what a thread remembers of a stream may be wrong from now on.
 * Then all calls pass (gate_pass), and no thread remembers anything. Who is
 * about to remember something finds by this that it has changed meanwhile. */
extern _Atomic unsigned int stream_changes;

/* The number of a stream of that context, given to it now if it has none; 0 if
 * it can't have one. per_thread: stream 0 means the calling thread's own. */
unsigned int stream_number(struct context *context, struct CUstream_st *stream,
			   bool per_thread);

/* The number of the legacy stream that the stream of that number waits for:
 * what is queued in that one comes before what is queued later in this one. 0
 * if there is none. */
unsigned int stream_follows(unsigned int number);

/* Whether the stream, of the current context, waits for the legacy one; true if
 * in doubt. */
bool stream_waits(struct CUstream_st *stream, bool per_thread);

/* Whether the number still is that stream's. To be asked under the context's
 * lock: the number does not become another stream's before what is kept by it
 * meanwhile is safe. */
bool stream_has_number(unsigned int number, const struct context *context,
		       struct CUstream_st *stream, bool per_thread);

/* Whether any stream has, or had, a number; false in a forked child. */
bool streams_are_used(void);

/* The context that a default stream is of: the current one. NULL for a stream
 * that the program made, whose context is known with its number. */
struct context *stream_place(const struct CUstream_st *stream);

/* The program has made a stream of the context, which waits for the legacy
 * stream, or does not. */
void stream_made(struct context *context, bool waits);

/* A thread uses its own default stream: such streams wait for the legacy
 * one. */
void stream_per_thread_used(void);

/* Calls may go unseen from now on: they may make streams that wait for the
 * legacy one. */
void stream_calls_unseen(void);

/* The program is about to make a part of a context. */
void stream_part_made(void);

/* The stream is about to be destroyed. */
void stream_ends(struct CUstream_st *stream);

/* The stream, of the current context if it is a default stream, is given work
 * that need not wait for all its earlier work. Once this returns, nothing that
 * is handed out relies on the stream's order. */
void stream_loosens(struct CUstream_st *stream, bool per_thread);

/* All streams of a context are gone, or those of a part of it. */
void streams_forget(const struct context *context);

/* For stream_past.c and event_order.c: numbers stay as they are while the lock
 * is held. Find returns the number of a stream, or 0, and sets *context to its
 * context; for a default stream *context has to be the current one. The serial
 * tells the streams apart that have had a number. */
void streams_lock(void);
void streams_unlock(void);
unsigned int streams_end(void); /* all numbers in use are below */
unsigned int streams_find(struct CUstream_st *stream, bool per_thread,
			  struct context **context);
uint64_t streams_serial(unsigned int number);
bool streams_wait_for_legacy(unsigned int number);
/* The last mark of a stream that waits (legacy.c); 0: none so far. */
uint64_t streams_mark(unsigned int number);
void streams_mark_set(unsigned int number, uint64_t mark);
const struct context *streams_context(unsigned int number); /* or NULL */

#endif
