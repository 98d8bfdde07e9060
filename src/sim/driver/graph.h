/* A graph: nodes and what they depend on. Only copies of it run, see exec.h. */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include <stdbool.h>

#include <cuda.h>

struct condition;
struct exec;
struct node;
struct user_share;

enum { GRAPH_MAGIC = 0x67726170 };

struct graph {
	unsigned magic;        /* 0 once destroyed; the object is used again */
	unsigned long long id; /* never used again */
	bool capturing;        /* a capture adds to it */
	bool owned;            /* by a node, and closed with it */
	struct graph *next;    /* the next spare one */
	struct graph *made;    /* the one made before: all stay reachable */
	struct node *first, **last;
	unsigned count;
	struct condition *conditions; /* freed with it */
	const struct exec *instance;  /* the last that was made from it */
	struct user_share *shares;    /* in objects of the program */
};

/* Makes an empty graph. NULL when memory is short. */
struct graph *graph_open(void);
void graph_close(struct graph *graph);
/* Removes a node and its edges. */
void graph_remove(struct graph *graph, struct node *node);
/* The graph of a handle from the program, or CUDA_ERROR_INVALID_VALUE. */
CUresult graph_find(CUgraph handle, struct graph **graph);
/* Copies a graph and its child graphs. NULL when memory is short. */
struct graph *graph_copy(struct graph *graph);
/* A graph with a copy of a node, without edges. NULL when memory is short. */
struct graph *graph_of_copy(struct node *node);
/* The same as graph_copy(), with each node behind the nodes that it depends on,
 * in child graphs too. CUDA_ERROR_INVALID_VALUE if there is a cycle; then *bad,
 * if that is not NULL, is a node that cannot be reached because of it. Or
 * CUDA_ERROR_OUT_OF_MEMORY. */
CUresult graph_copy_sorted(struct graph *graph, struct graph **copy,
			   struct node **bad);

#endif
