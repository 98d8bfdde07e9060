/* Nodes that the program itself adds to a graph. */
#ifndef SIM_GRAPH_NODES_H
#define SIM_GRAPH_NODES_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct context;
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
/* Adds a node that does the operation. Owns the operation, also on failure. */
CUresult node_work_add(const struct place *place, struct op *op, uint64_t ns,
		       struct context *ctx);
/* Make the operation of a copy's or a fill's node, and set its time.
 * CUDA_ERROR_INVALID_VALUE if params is NULL. */
CUresult node_copy_op(const CUDA_MEMCPY3D *params, struct op **op,
		      uint64_t *ns);
CUresult node_fill_op(const CUDA_MEMSET_NODE_PARAMS *params, struct op **op,
		      uint64_t *ns);
/* The same for a host function, whose time is the profile's; and for a kernel,
 * whose context is told too. */
CUresult node_host_op(const CUDA_HOST_NODE_PARAMS *params, struct op **op);
CUresult node_kernel_op(const CUDA_KERNEL_NODE_PARAMS_v2 *params,
			struct op **op, uint64_t *ns, struct context **ctx);
/* The parameters of the first version in the form of the second. */
CUDA_KERNEL_NODE_PARAMS_v2 node_kernel_v2(
	const CUDA_KERNEL_NODE_PARAMS_v1 *params);
/* The node of a handle, which must be of that type. */
CUresult node_of(CUgraphNode handle, CUgraphNodeType type, struct node **node);
/* The executable's node that was made from the node `of` of its graph, or of a
 * child in that. */
CUresult exec_node(CUgraphExec handle, CUgraphNode of, CUgraphNodeType type,
		   struct node **node);
/* Replaces what a node does. The context that it runs in stays. */
void work_replace(struct node *node, struct op *op, uint64_t ns);
/* Adds a node that owns the child graph itself, not a copy of it. */
CUresult node_move_child(const struct place *place, CUgraph child);
/* Adds a node that runs one of several graphs, or none. */
CUresult condition_add(const struct place *place,
		       CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
