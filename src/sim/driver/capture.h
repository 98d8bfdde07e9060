/* Stream capture: what is queued to a capturing stream becomes a node. Calls
 * that a capture cannot bear fail and make the capture invalid. */
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
	struct capture *next;   /* of all captures that go on */
	unsigned long long id;  /* never used again */
	struct graph *graph;    /* the graph that it adds to */
	bool lent;              /* the graph belongs to the program */
	bool invalid;           /* can only be ended */
	struct stream *origin;  /* where it began */
	struct stream *streams; /* all that are in it, the origin included */
	CUstreamCaptureMode mode;
	const struct thread *thread; /* that began it */
};

/* Begins a capture. Its nodes are added to `graph`, behind the nodes in
 * `after`; if `graph` is NULL, the capture gets a new graph. */
CUresult capture_open(struct stream *origin, struct graph *graph,
		      const struct nodes *after, CUstreamCaptureMode mode);
/* Ends a capture; its streams work as before. Closes the graph, unless that
 * belongs to the program. */
void capture_close(struct capture *capture);
/* The capture with this id if it still goes on, or NULL. */
struct capture *capture_find(unsigned long long id);
/* Adds a stream that is in no capture. Its next node comes behind those
 * in `after`. */
CUresult capture_join(struct capture *capture, struct stream *stream,
		      const struct nodes *after);
/* Marks the nodes that the origin has joined; or CUDA_ERROR_OUT_OF_MEMORY. Then
 * capture_has_joined() says whether all that a stream did is among them. */
CUresult capture_mark(const struct capture *capture);
bool capture_has_joined(const struct stream *stream);
/* For a stream that is closed: ends the capture that began in it, or makes the
 * capture that it is in invalid, unless the origin has joined it. */
void capture_leave(struct stream *stream);
/* Adds a node for a capturing stream. A failure makes the capture invalid. */
CUresult capture_node(struct stream *stream, CUgraphNodeType type,
		      struct node **node);
/* Makes an operation a node of a capturing stream's graph. Owns the operation,
 * also on failure. */
CUresult capture_take(struct op *op, struct stream *stream, uint64_t ns);
/* Makes the capture invalid; returns CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. */
CUresult capture_refuse(struct capture *capture);
/* For potentially unsafe calls: refuses all captures that forbid them, by their
 * modes and that of the calling thread. See
 * cuThreadExchangeStreamCaptureMode. */
CUresult capture_permit(void);
/* For calls that concern a whole context: none of its streams may be
 * capturing. */
CUresult capture_permit_context(struct context *ctx);
/* For calls that use the legacy stream: no stream that orders with it may be
 * capturing. */
CUresult capture_permit_legacy(struct context *ctx);
bool capture_blocks_legacy(const struct context *ctx);

#endif
