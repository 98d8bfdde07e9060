/* A node of a graph: an operation to be copied at each launch, a graph of its
 * own, or nothing; and what it depends on. */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "fence.h"
#include "nodes.h"

struct condition;
struct context;
struct event;
struct graph;
struct graph_block;
struct launch_attributes;
struct op;

enum { NODE_MAGIC = 0x6e6f6465 };

struct node {
	unsigned magic; /* 0 once destroyed; the object is used again */
	CUgraphNodeType type;
	struct graph *graph;
	struct node *next;     /* of the graph, or of the spare ones */
	unsigned index;        /* in the order in which the nodes were made */
	unsigned long long id; /* never used again */
	unsigned long long of; /* the id of what it is a copy of, or 0 */
	bool off;              /* launches pass over it */
	struct nodes before;   /* what it depends on, in the same graph */
	struct op *work;       /* NULL if it has none */
	uint64_t ns;           /* that work takes, virtual */
	struct context *ctx;   /* where work runs */
	unsigned long long ctx_id;
	struct graph *child;         /* the graph that it runs, or NULL */
	struct condition *condition; /* NULL if it has none */
	CUgraphConditionalNodeType how;
	struct graph **bodies; /* the condition's */
	unsigned body_count;
	struct graph_block *memory; /* that it allocates or frees, or NULL */
	struct event *event;        /* that it records or waits for, or NULL */
	unsigned long long event_id;
	struct launch_attributes *attributes; /* NULL if none is set */
	struct node *twin; /* its copy, while the graph is being copied */
	bool marked;       /* by a walk over the graph */
	struct fence done; /* its end in the launch that is being queued */
	uint64_t end;      /* that end, virtual */
};

/* A graph in a node: its child, or one of the condition's. The first has index
 * 0; NULL if there are no more. */
static inline struct graph *node_inner(const struct node *node, unsigned index)
{
	if (node->child)
		return index ? NULL : node->child;
	return index < node->body_count ? node->bodies[index] : NULL;
}

/* Makes the last node of a graph, behind the nodes in `before`.
 * CUDA_ERROR_OUT_OF_MEMORY. */
CUresult node_open(struct graph *graph, CUgraphNodeType type,
		   const struct nodes *before, struct node **node);
/* Sets what the node does when it runs. The node owns the operation. */
void node_set_work(struct node *node, struct op *work, uint64_t ns,
		   struct context *ctx);
void node_set_event(struct node *node, struct event *event);
/* Closes a node and what it owns, but leaves its graph's list alone. */
void node_close(struct node *node);
/* The copy of the node with this id in a graph and its children, or NULL. */
struct node *node_copy_in(struct graph *graph, unsigned long long id);
/* The node of a handle from the program, or CUDA_ERROR_INVALID_VALUE. */
CUresult node_find(CUgraphNode handle, struct node **node);
/* Finds nodes that the program gave. They must be in this graph, and each be
 * given once. CUDA_ERROR_INVALID_VALUE or CUDA_ERROR_OUT_OF_MEMORY; then the
 * set is empty. */
CUresult node_set_find(const struct graph *graph, const CUgraphNode *handles,
		       size_t count, struct nodes *nodes);
/* CUDA_ERROR_NOT_SUPPORTED if an edge has data. */
CUresult node_data_check(const CUgraphEdgeData *data, size_t count);

#endif
