/* An executable graph: a copy of a graph, in an order in which it can run. */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include <stdint.h>

#include <cuda.h>

#include "fence.h"

struct graph;
struct stream;

enum { EXEC_MAGIC = 0x65786563 };

struct exec {
	unsigned magic;    /* 0 once destroyed; the object is used again */
	struct exec *next; /* the next spare one */
	struct exec *made; /* the one made before: all stay reachable */
	struct graph *graph;
	struct graph *origin; /* what it was made from; may be gone */
	unsigned long long flags;
	struct fence last; /* its launches so far */
	uint64_t end;      /* of those launches, virtual */
};

/* The executable graph of a handle from the program, or
 * CUDA_ERROR_INVALID_VALUE. */
CUresult exec_find(CUgraphExec handle, struct exec **exec);
/* Queues every node, behind what is in the stream and before what
 * comes later. */
CUresult exec_launch(struct exec *exec, struct stream *stream);

#endif
