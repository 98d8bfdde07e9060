/* A graph: nodes and what they depend on. Nothing runs in it. */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include <stdbool.h>

#include <cuda.h>

struct condition;
struct node;

enum { GRAPH_MAGIC = 0x67726170 };

struct graph {
	unsigned magic;     /* 0 once destroyed; the object is used again */
	bool capturing;     /* a capture adds to it */
	bool owned;         /* by a node, and goes with that */
	struct graph *next; /* spare one */
	struct graph *made; /* the one made before: a program may forget its */
	struct node *first, **last;
	unsigned count;
	struct condition *conditions; /* whose handles go with it */
};

/* An empty one, or NULL. */
struct graph *graph_open(void);
void graph_close(struct graph *graph);
/* The node goes, and what it has of edges. */
void graph_remove(struct graph *graph, struct node *node);
/* From the program; CUDA_ERROR_INVALID_VALUE. */
CUresult graph_find(CUgraph handle, struct graph **graph);
/* Children included. NULL when memory is short. */
struct graph *graph_copy(struct graph *graph);
/* One with the nodes after what they depend on, in children too.
 * CUDA_ERROR_INVALID_VALUE when there is a cycle, or of memory. */
CUresult graph_copy_sorted(struct graph *graph, struct graph **copy);

#endif
