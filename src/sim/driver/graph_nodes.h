/* Nodes that the program itself adds to a graph. */
#ifndef SIM_GRAPH_NODES_H
#define SIM_GRAPH_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct node;
struct op;

/* What every such call has: the graph, the dependencies, and where the new
 * node's handle goes. */
struct place {
	CUgraphNode *out;
	CUgraph graph;
	const CUgraphNode *dependencies;
	size_t count;
};

CUresult node_add(const struct place *place, CUgraphNodeType type,
		  struct node **node);
/* Make the operation of a copy's or a fill's node, and set its time.
 * CUDA_ERROR_INVALID_VALUE if params is NULL. */
CUresult node_copy_op(const CUDA_MEMCPY3D *params, struct op **op,
		      uint64_t *ns);
CUresult node_fill_op(const CUDA_MEMSET_NODE_PARAMS *params, struct op **op,
		      uint64_t *ns);
/* Adds a node that owns the child graph itself, not a copy of it. */
CUresult node_move_child(const struct place *place, CUgraph child);
/* Adds a node that runs one of several graphs, or none. */
CUresult condition_add(const struct place *place,
		       CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
