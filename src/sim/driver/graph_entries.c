#include "condition.h"
#include "context.h"
#include "entries.h"
#include "graph.h"
#include "graph_block.h"
#include "node.h"

CUresult sim_cuGraphCreate(CUgraph *out, unsigned flags)
{
	struct graph *graph;

	if (!out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	graph = graph_open();
	if (!graph)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = (CUgraph)graph;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphDestroy(CUgraph handle)
{
	struct graph *graph;
	CUresult res = graph_find(handle, &graph);

	if (!res && graph->owned)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && graph->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res)
		graph_close(graph);
	return res;
}

CUresult sim_cuGraphClone(CUgraph *out, CUgraph handle)
{
	struct graph *graph, *copy;
	CUresult res = graph_find(handle, &graph);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (graph_has_memory(graph) || graph_has_conditions(graph))
		return CUDA_ERROR_NOT_SUPPORTED;
	copy = graph_copy(graph);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = (CUgraph)copy;
	return CUDA_SUCCESS;
}

/* Lists all nodes, or those without dependencies. If nodes is NULL, only sets
 * their number. */
static CUresult list(CUgraph handle, CUgraphNode *nodes, size_t *count,
		     bool roots)
{
	size_t found = 0, room = nodes && count ? *count : 0;
	struct graph *graph;
	CUresult res = graph_find(handle, &graph);

	if (res)
		return res;
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	for (struct node *n = graph->first; n; n = n->next) {
		if (roots && n->before.count)
			continue;
		if (found < room)
			nodes[found] = (CUgraphNode)n;
		found++;
	}
	for (size_t i = found; i < room; i++)
		nodes[i] = NULL;
	*count = nodes && found > room ? room : found;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	return list(graph, nodes, count, false);
}

CUresult sim_cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes,
				 size_t *count)
{
	return list(graph, nodes, count, true);
}

CUresult sim_cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type)
{
	struct node *node;
	CUresult res = node_find(handle, &node);

	if (res)
		return res;
	if (!type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = node->type;
	return CUDA_SUCCESS;
}

/* Edges have no data here, so the default is returned as theirs. */
CUresult sim_cuGraphNodeGetDependencies_v2(CUgraphNode handle,
					   CUgraphNode *nodes,
					   CUgraphEdgeData *data, size_t *count)
{
	struct node *node;
	CUresult res = node_find(handle, &node);
	size_t found;

	if (res)
		return res;
	if (!count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	found = node->before.count;
	for (size_t i = 0; nodes && i < *count; i++) {
		nodes[i] = i < found ? (CUgraphNode)node->before.at[i] : NULL;
		if (data && i < found)
			data[i] = (CUgraphEdgeData){0};
	}
	*count = nodes && found > *count ? *count : found;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode *nodes,
					size_t *count)
{
	return sim_cuGraphNodeGetDependencies_v2(handle, nodes, NULL, count);
}

CUresult sim_cuGraphDestroyNode(CUgraphNode handle)
{
	struct node *node;
	CUresult res = node_find(handle, &node);

	if (!res && node->graph->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res && graph_has_memory(node->graph))
		res = CUDA_ERROR_NOT_SUPPORTED;
	if (!res)
		graph_remove(node->graph, node);
	return res;
}
