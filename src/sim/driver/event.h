#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <cuda.h>

#include "fence.h"
#include "nodes.h"

struct board_slot;
struct context;
struct stream;

enum { EVENT_MAGIC = 0x6576656e };

struct event {
	unsigned magic; /* 0 once destroyed; the object is used again */
	unsigned flags;
	unsigned long long id; /* never used again */
	struct context *ctx;
	struct event *prev, *next; /* of the context */
	bool recorded;
	bool over;          /* recorded and complete; in no capture, no slot */
	struct fence fence; /* what its last record covers */
	uint64_t time;      /* virtual, of that record */
	unsigned long long capture; /* id of the capture of that record, or 0 */
	struct nodes frontier;   /* the nodes that it covers in that capture */
	struct board_slot *slot; /* shared with other processes, or NULL */
	bool imported;           /* the slot is another process's */
};

CUresult event_find(CUevent handle, struct event **event);
/* Makes an event in the current context. */
CUresult event_open(unsigned flags, struct event **event);
/* For a node that records the event, or waits for it: what comes before the
 * node is in `done`, with its virtual end, and what comes behind it has to wait
 * for what is there afterwards. */
CUresult event_record_node(struct event *event, const struct fence *done,
			   uint64_t time);
CUresult event_wait_node(struct event *event, struct fence *done,
			 uint64_t *time);
/* A record of an event, or a wait for it, that becomes a node of a capture.
 * CUDA_ERROR_INVALID_VALUE if the stream does not capture. */
CUresult event_capture_outer(struct event *event, struct stream *stream,
			     CUgraphNodeType type);
/* Destroys an event. */
void event_close(struct event *event);

#endif
