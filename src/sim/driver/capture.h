/* Stream capture: what is queued to a capturing stream becomes a node. Calls
 * that a capture cannot bear fail, and make it invalid. */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct context;
struct graph;
struct node;
struct nodes;
struct op;
struct stream;
struct thread;

struct capture {
	struct capture *next;   /* of all that go on */
	unsigned long long id;  /* never used again */
	struct graph *graph;    /* what it adds to */
	bool lent;              /* the graph is the program's own */
	bool invalid;           /* can only be ended */
	struct stream *origin;  /* where it began */
	struct stream *streams; /* all that are in it, the origin included */
	CUstreamCaptureMode mode;
	const struct thread *thread; /* that began it */
};

/* Into a graph of its own if given NULL, after some nodes of that graph. */
CUresult capture_open(struct stream *origin, struct graph *graph,
		      const struct nodes *after, CUstreamCaptureMode mode);
/* Its streams work as before. A graph of its own goes, unless taken. */
void capture_close(struct capture *capture);
/* One that goes on, or NULL. */
struct capture *capture_find(unsigned long long id);
/* A stream that is in no capture comes in, its next node after some. */
CUresult capture_join(struct capture *capture, struct stream *stream,
		      const struct nodes *after);
/* A stream goes, its capture with it or invalid. */
void capture_leave(struct stream *stream);
/* A new node in a capturing stream. */
CUresult capture_node(struct stream *stream, CUgraphNodeType type,
		      struct node **node);
/* An operation for a capturing stream; owns it, also on failure. */
CUresult capture_take(struct op *op, struct stream *stream, uint64_t ns);
/* Invalid from now on; CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. */
CUresult capture_refuse(struct capture *capture);
/* For potentially unsafe calls: the modes of captures and of the calling
 * thread, see cuThreadExchangeStreamCaptureMode. */
CUresult capture_permit(void);
/* For a call about all of a context: none of its streams may be capturing. */
CUresult capture_permit_context(struct context *ctx);
/* For a use of the legacy stream: no stream that orders with it may be. */
CUresult capture_permit_legacy(struct context *ctx);
bool capture_blocks_legacy(const struct context *ctx);

#endif
