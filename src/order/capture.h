/* Captures of streams into graphs, in the whole process: a capture spreads by
 * events to streams of other contexts and devices.
 *
 * While one is on, no event of ours is recorded or waited for and nothing
 * goes back to the driver: CUDA would end the capture with an error. */
#ifndef MNM_CAPTURE_H
#define MNM_CAPTURE_H

#include <stdbool.h>

struct CUctx_st;
struct CUgraph_st;
struct CUstream_st;

/* What those above do with captures; called under the lock of these. */
struct capture_observer {
	void (*first_begins)(void);            /* the first is about to */
	void (*last_ended)(void);              /* none is on any more */
	void (*graph_made)(const void *graph); /* by one that is ending */
};

/* There is one; it stays. Before the first begin. */
void captures_observe(const struct capture_observer *observer);

/* Whether one is on, or about to be. One load. */
bool capture_any(void);

/* A begin is about to be asked of the driver: returns once no quiet time is
 * on, or a second has passed, and none comes until all captures have ended. */
void capture_expect(void);

/* Whose a stream is, and where its work goes. */
struct capture_place {
	struct CUctx_st *context;
	struct CUctx_st *whole; /* that it is a part of, or the same */
	bool into;              /* a graph that was there before */
};

/* It was refused, or the stream captures now. per_thread: stream 0 means the
 * calling thread's own. */
void capture_refused(void);
void capture_begun(struct CUstream_st *stream, bool per_thread,
		   struct capture_place place);

/* Whether what comes of the stream's capture is a graph of its own, as far as
 * is known. */
bool capture_makes_graph(struct CUstream_st *stream, bool per_thread,
			 struct CUctx_st *context);

/* The stream, of that context, does not capture any more. The graph is NULL
 * where none came of it. Unknown streams are ignored. */
void capture_ended(struct CUstream_st *stream, bool per_thread,
		   struct CUctx_st *context, struct CUgraph_st *graph);

/* The context, its parts and their streams are gone. */
void capture_context_ended(struct CUctx_st *context);

/* A time without captures, for one call that would end one, and that does not
 * wait for work: a begin waits for its end. It keeps nobody else from one, and
 * it may be long where a stream's queue is full. False: a capture is on. */
bool capture_block(void);
void capture_unblock(void);

#endif
