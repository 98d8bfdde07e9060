/* Captures of streams into graphs, in the whole process: by events, a capture
 * spreads to streams of other contexts and devices.
 *
 * While a capture is on, mnm records no event and makes no stream wait for one:
 * CUDA would end the capture with an error. Only a request that fails otherwise
 * gives memory back to the driver then, in a mode that spares captures. */
#ifndef MNM_CAPTURE_H
#define MNM_CAPTURE_H

#include <stdbool.h>

struct CUctx_st;
struct CUgraph_st;
struct CUstream_st;

/* What the layers above do about captures. Called under the lock of
 * capture.c. */
struct capture_observer {
	void (*first_begins)(void); /* a first capture is about to begin */
	void (*last_ended)(void);   /* no capture is on any more */
	void (*graph_made)(const void *graph); /* a capture that ends made it */
};

/* Sets the only observer, for good. Called before the first capture begins. */
void captures_observe(const struct capture_observer *observer);

/* Whether a capture is on, or about to begin. Costs one load. */
bool capture_any(void);

/* The driver is about to be asked to begin a capture. Returns once no thread
 * blocks captures (capture_block), or after a second. Nobody can block captures
 * from now on until all of them have ended. */
void capture_expect(void);

/* The context of a stream, and where the work that it captures goes. */
struct capture_place {
	struct CUctx_st *context;
	struct CUctx_st *whole; /* that it is a part of, or itself */
	bool into;              /* a graph that existed before */
};

/* The driver has refused the capture, or the stream captures now. per_thread:
 * stream 0 means the calling thread's own. */
void capture_refused(void);
void capture_begun(struct CUstream_st *stream, bool per_thread,
		   struct capture_place place);

/* Whether the capture of the stream makes a new graph. False if no such capture
 * is known. */
bool capture_makes_graph(struct CUstream_st *stream, bool per_thread,
			 struct CUctx_st *context);

/* The stream of that context does not capture any more. The graph is NULL if
 * the capture made none. Of an unknown stream, only the graph is noted. */
void capture_ended(struct CUstream_st *stream, bool per_thread,
		   struct CUctx_st *context, struct CUgraph_st *graph);

/* The context, its parts and their streams are gone. */
void capture_context_ended(struct CUctx_st *context);

/* Blocks captures during one call of ours that would end a capture: the start
 * of a capture waits until capture_unblock. Such a call waits for no work,
 * unless all else has failed (wait.c). Several threads may block captures at
 * once. The time may be long where a stream's queue is full. Returns false if
 * a capture is on, or about to begin. */
bool capture_block(void);
void capture_unblock(void);

#endif
