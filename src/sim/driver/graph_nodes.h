/* Nodes that the program adds to a graph by itself. */
#ifndef SIM_GRAPH_NODES_H
#define SIM_GRAPH_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct node;
struct op;

/* What every such call has: where to, and behind what. */
struct place {
	CUgraphNode *out;
	CUgraph graph;
	const CUgraphNode *dependencies;
	size_t count;
};

CUresult node_add(const struct place *place, CUgraphNodeType type,
		  struct node **node);
/* What a copy's or a fill's node does; params may be NULL. */
CUresult node_copy_op(const CUDA_MEMCPY3D *params, struct op **op,
		      uint64_t *ns);
CUresult node_fill_op(const CUDA_MEMSET_NODE_PARAMS *params, struct op **op,
		      uint64_t *ns);
/* The graph itself becomes the node's. */
CUresult node_move_child(const struct place *place, CUgraph child);
/* A node that runs one of several graphs. */
CUresult condition_add(const struct place *place,
		       CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
