/* Nodes of copies of a graph: of clones, and of executable graphs. */
#include "entries.h"
#include "graph.h"
#include "graph_nodes.h"
#include "node.h"

CUresult sim_cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode handle,
				    CUgraph where)
{
	struct node *node, *copy;
	struct graph *graph;
	CUresult res = node_find(handle, &node);

	if (!res)
		res = graph_find(where, &graph);
	if (res)
		return res;
	copy = node_copy_in(graph, node->id);
	if (!out || !copy)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUgraphNode)copy;
	return CUDA_SUCCESS;
}

/* The executable's node, which must be one that can be switched off. */
static CUresult switch_find(CUgraphExec exec, CUgraphNode of,
			    struct node **node)
{
	CUresult res = node_find(of, node);
	CUgraphNodeType type;

	if (res)
		return res;
	type = (*node)->type;
	if (type != CU_GRAPH_NODE_TYPE_KERNEL &&
	    type != CU_GRAPH_NODE_TYPE_MEMSET &&
	    type != CU_GRAPH_NODE_TYPE_MEMCPY)
		return CUDA_ERROR_INVALID_VALUE;
	return exec_node(exec, of, type, node);
}

CUresult sim_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode of,
				   unsigned enabled)
{
	struct node *node;
	CUresult res = switch_find(exec, of, &node);

	if (!res)
		node->off = !enabled;
	return res;
}

CUresult sim_cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode of,
				   unsigned *enabled)
{
	struct node *node;
	CUresult res = switch_find(exec, of, &node);

	if (!res && !enabled)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*enabled = !node->off;
	return res;
}
