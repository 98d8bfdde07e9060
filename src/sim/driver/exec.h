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
	struct exec *next; /* spare one */
	struct exec *made; /* the one made before: a program may forget its */
	struct graph *graph;
	const struct graph *origin; /* that it was made of; may be gone */
	unsigned long long flags;
	struct fence last; /* its launches so far */
	uint64_t end;      /* virtual, of them */
};

/* From the program; CUDA_ERROR_INVALID_VALUE. */
CUresult exec_find(CUgraphExec handle, struct exec **exec);
/* Queues every node, behind what is in the stream, ahead of what comes. */
CUresult exec_launch(struct exec *exec, struct stream *stream);

#endif
