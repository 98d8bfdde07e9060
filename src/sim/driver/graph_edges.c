/* The edges of a graph, which have no data here: the default is told as
 * theirs. */
#include "context.h"
#include "entries.h"
#include "graph.h"
#include "graph_block.h"
#include "node.h"

static CUresult edge_add(struct graph *graph, CUgraphNode from, CUgraphNode to)
{
	struct node *before, *after;
	CUresult res = node_find(from, &before);

	if (!res)
		res = node_find(to, &after);
	if (res)
		return res;
	if (before->graph != graph || after->graph != graph ||
	    before == after || nodes_have(&after->before, before))
		return CUDA_ERROR_INVALID_VALUE;
	return nodes_add(&after->before, before) ? CUDA_SUCCESS
						 : CUDA_ERROR_OUT_OF_MEMORY;
}

static void edge_remove(CUgraphNode from, CUgraphNode to)
{
	nodes_remove(&((struct node *)to)->before, (struct node *)from);
}

/* Adds all of the edges, or none. */
CUresult sim_cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode *from,
				       const CUgraphNode *to,
				       const CUgraphEdgeData *data,
				       size_t count)
{
	struct graph *graph;
	size_t added = 0;
	CUresult res = graph_find(handle, &graph);

	if (!res)
		res = node_data_check(data, count);
	if (!res && count && (!from || !to))
		res = CUDA_ERROR_INVALID_VALUE;
	while (added < count && !res) {
		res = edge_add(graph, from[added], to[added]);
		added += !res;
	}
	while (res && added--)
		edge_remove(from[added], to[added]);
	return res;
}

CUresult sim_cuGraphAddDependencies(CUgraph handle, const CUgraphNode *from,
				    const CUgraphNode *to, size_t count)
{
	return sim_cuGraphAddDependencies_v2(handle, from, to, NULL, count);
}

static CUresult edge_find(struct graph *graph, CUgraphNode from, CUgraphNode to,
			  struct node **before, struct node **after)
{
	CUresult res = node_find(from, before);

	if (!res)
		res = node_find(to, after);
	if (res)
		return res;
	return (*after)->graph == graph &&
			       nodes_have(&(*after)->before, *before)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* Removes all of the edges, or none. */
CUresult sim_cuGraphRemoveDependencies_v2(CUgraph handle,
					  const CUgraphNode *from,
					  const CUgraphNode *to,
					  const CUgraphEdgeData *data,
					  size_t count)
{
	struct node *before, *after;
	struct graph *graph;
	CUresult res = graph_find(handle, &graph);

	if (!res)
		res = node_data_check(data, count);
	if (!res && count && (!from || !to))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && graph->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res && graph_has_memory(graph))
		res = CUDA_ERROR_NOT_SUPPORTED;
	for (size_t i = 0; i < count && !res; i++)
		res = edge_find(graph, from[i], to[i], &before, &after);
	for (size_t i = 0; i < count && !res; i++)
		edge_remove(from[i], to[i]);
	return res;
}

CUresult sim_cuGraphRemoveDependencies(CUgraph handle, const CUgraphNode *from,
				       const CUgraphNode *to, size_t count)
{
	return sim_cuGraphRemoveDependencies_v2(handle, from, to, NULL, count);
}

/* A list that the program has room for. */
struct listing {
	CUgraphNode *from, *to; /* NULL if that side is not asked for */
	CUgraphEdgeData *data;
	size_t room, found;
};

static void listing_add(struct listing *list, struct node *from,
			struct node *to)
{
	size_t at = list->found++;

	if (at >= list->room)
		return;
	if (list->from)
		list->from[at] = (CUgraphNode)from;
	if (list->to)
		list->to[at] = (CUgraphNode)to;
	if (list->data)
		list->data[at] = (CUgraphEdgeData){0};
}

/* What there is more room for is NULL. */
static size_t listing_end(struct listing *list)
{
	for (size_t at = list->found; at < list->room; at++) {
		if (list->from)
			list->from[at] = NULL;
		if (list->to)
			list->to[at] = NULL;
	}
	return list->room && list->found > list->room ? list->room
						      : list->found;
}

CUresult sim_cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from,
				CUgraphNode *to, CUgraphEdgeData *data,
				size_t *count)
{
	struct listing list = {.from = from, .to = to, .data = data};
	struct graph *graph;
	CUresult res = graph_find(handle, &graph);

	if (res)
		return res;
	if (!count || !from != !to || (data && !from))
		return CUDA_ERROR_INVALID_VALUE;
	list.room = from ? *count : 0;
	for (struct node *n = graph->first; n; n = n->next)
		for (unsigned i = 0; i < n->before.count; i++)
			listing_add(&list, n->before.at[i], n);
	*count = listing_end(&list);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
			     size_t *count)
{
	return sim_cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CUresult sim_cuGraphNodeGetDependentNodes_v2(CUgraphNode handle,
					     CUgraphNode *nodes,
					     CUgraphEdgeData *data,
					     size_t *count)
{
	struct listing list = {.to = nodes, .data = data};
	struct node *node;
	CUresult res = node_find(handle, &node);

	if (res)
		return res;
	if (!count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	list.room = nodes ? *count : 0;
	for (struct node *n = node->graph->first; n; n = n->next)
		if (nodes_have(&n->before, node))
			listing_add(&list, node, n);
	*count = listing_end(&list);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
					  size_t *count)
{
	return sim_cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}
