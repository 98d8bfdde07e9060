/* A node of a graph: an operation to be copied at each launch, a graph of its
 * own, or nothing; and what it depends on. */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "fence.h"
#include "nodes.h"

struct context;
struct graph;
struct op;

enum { NODE_MAGIC = 0x6e6f6465 };

struct node {
	unsigned magic; /* 0 once destroyed; the object is used again */
	CUgraphNodeType type;
	struct graph *graph;
	struct node *next;   /* of the graph, or of the spare ones */
	unsigned index;      /* in the order of the graph's making */
	struct nodes before; /* what it depends on, of the same graph */
	struct op *work;     /* NULL: none */
	uint64_t ns;         /* of work, virtual */
	struct context *ctx; /* where work runs */
	unsigned long long ctx_id;
	struct graph *child;   /* that runs, of a graph's or condition's node */
	struct graph **bodies; /* of a condition, child among them; or NULL */
	unsigned body_count;
	struct node *twin; /* in the copy that is being made of the graph */
	bool marked;       /* by a walk over the graph */
	struct fence done; /* in the launch that is being queued: its end */
	uint64_t end;      /* virtual */
};

/* The last one of its graph. CUDA_ERROR_OUT_OF_MEMORY. */
CUresult node_open(struct graph *graph, CUgraphNodeType type,
		   const struct nodes *before, struct node **node);
/* What it does when it runs; owns the operation. */
void node_set_work(struct node *node, struct op *work, uint64_t ns,
		   struct context *ctx);
/* Of a graph that goes. */
void node_close(struct node *node);
/* From the program; CUDA_ERROR_INVALID_VALUE. */
CUresult node_find(CUgraphNode handle, struct node **node);
/* A set that the program gave: of one graph, without doubles. On failure it is
 * empty. CUDA_ERROR_INVALID_VALUE, or of memory. */
CUresult node_set_find(const struct graph *graph, const CUgraphNode *handles,
		       size_t count, struct nodes *nodes);
/* Only edges without data are known. CUDA_ERROR_NOT_SUPPORTED. */
CUresult node_data_check(const CUgraphEdgeData *data, size_t count);

#endif
