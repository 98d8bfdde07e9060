#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <cuda.h>

#include "fence.h"
#include "nodes.h"

struct board_slot;
struct context;

enum { EVENT_MAGIC = 0x6576656e };

struct event {
	unsigned magic; /* 0 once destroyed; the object is used again */
	unsigned flags;
	struct context *ctx;
	struct event *prev, *next; /* of the context */
	bool recorded;
	bool over;          /* recorded, complete, and not part of a capture */
	struct fence fence; /* what its last record covers */
	uint64_t time;      /* virtual, of that record */
	unsigned long long capture; /* that record was part of; 0: none */
	struct nodes frontier;      /* what it covers while that goes on */
	struct board_slot *slot;    /* shared with other processes, or NULL */
	bool imported;              /* the slot is another process's */
};

CUresult event_find(CUevent handle, struct event **event);
/* In the current context. */
CUresult event_open(unsigned flags, struct event **event);
/* Of a context that closes. */
void event_close(struct event *event);

#endif
