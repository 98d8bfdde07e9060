/* New parameters for an executable graph, from a graph of the same form. */
#include <stdlib.h>

#include "entries.h"
#include "exec.h"
#include "graph.h"
#include "graph_nodes.h"
#include "node.h"

static CUgraphExecUpdateResult compare(struct graph *have, struct graph *want,
				       CUgraphExecUpdateResultInfo *info);

static CUgraphExecUpdateResult differ(CUgraphExecUpdateResultInfo *info,
				      CUgraphExecUpdateResult how,
				      struct node *node, struct node *from)
{
	info->result = how;
	info->errorNode = (CUgraphNode)node;
	info->errorFromNode = (CUgraphNode)from;
	return how;
}

/* `have` holds the executable graph's nodes by their index. */
static CUgraphExecUpdateResult compare_node(struct node **have,
					    struct node *want,
					    CUgraphExecUpdateResultInfo *info)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
	struct node *node = have[want->index];
	struct graph *inner;

	if (node->type != want->type)
		return differ(info,
			      CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED,
			      want, NULL);
	if (node->before.count != want->before.count)
		return differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
			      want, NULL);
	for (unsigned i = 0; i < want->before.count; i++) {
		struct node *from = want->before.at[i];

		if (!nodes_have(&node->before, have[from->index]))
			return differ(
				info,
				CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
				want, from);
	}
	if (node->ctx != want->ctx)
		return differ(
			info,
			want->type == CU_GRAPH_NODE_TYPE_KERNEL
				? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
				: CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
			want, NULL);
	if (node->memory || want->memory)
		return differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED,
			      want, NULL);
	if (node->body_count != want->body_count || node->how != want->how)
		return differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED,
			      want, NULL);
	for (unsigned i = 0; !result && (inner = node_inner(want, i)); i++)
		result = compare(node_inner(node, i), inner, info);
	return result;
}

/* Nodes are paired in the order in which they were made. */
static CUgraphExecUpdateResult compare(struct graph *have, struct graph *want,
				       CUgraphExecUpdateResultInfo *info)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
	struct node **nodes;

	if (have->count != want->count)
		return differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
			      NULL, NULL);
	nodes = calloc(have->count + 1, sizeof(struct node *));
	if (!nodes)
		return differ(info, CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL);
	for (struct node *n = have->first; n; n = n->next)
		nodes[n->index] = n;
	for (struct node *n = want->first; n && !result; n = n->next)
		result = compare_node(nodes, n, info);
	free(nodes);
	return result;
}

/* What is new takes the place of what was there: the nodes of the original
 * graph lead to it, and what is switched off stays so. */
static bool take_place(struct graph *now, struct graph *former)
{
	struct node **nodes = calloc(former->count + 1, sizeof(struct node *));
	struct graph *inner;
	bool ok = nodes;

	for (struct node *n = former->first; n && ok; n = n->next)
		nodes[n->index] = n;
	for (struct node *n = now->first; n && ok; n = n->next) {
		struct node *other = nodes[n->index];

		n->of = other->of;
		n->off = other->off;
		for (unsigned i = 0; ok && (inner = node_inner(n, i)); i++)
			ok = take_place(inner, node_inner(other, i));
	}
	free(nodes);
	return ok;
}

/* The copy of a graph for an executable one. */
static CUresult replacement(struct graph *graph, struct graph *former,
			    struct graph **copy)
{
	CUresult res = graph_copy_sorted(graph, copy, NULL);

	if (res || take_place(*copy, former))
		return res;
	graph_close(*copy);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuGraphExecChildGraphNodeSetParams(CUgraphExec handle,
						CUgraphNode of, CUgraph child)
{
	CUgraphExecUpdateResultInfo info;
	struct graph *graph, *copy;
	struct node *node;
	CUresult res = exec_node(handle, of, CU_GRAPH_NODE_TYPE_GRAPH, &node);

	if (!res)
		res = graph_find(child, &graph);
	if (!res && compare(node->child, graph, &info))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = replacement(graph, node->child, &copy);
	if (res)
		return res;
	copy->owned = true;
	graph_close(node->child);
	node->child = copy;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph from,
				  CUgraphExecUpdateResultInfo *info)
{
	struct graph *graph, *copy;
	struct exec *exec;
	CUresult res =
		info ? exec_find(handle, &exec) : CUDA_ERROR_INVALID_VALUE;

	if (!res)
		res = graph_find(from, &graph);
	if (!res && graph->owned)
		res = CUDA_ERROR_INVALID_VALUE;
	if (res) {
		if (info)
			differ(info, CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL);
		return res;
	}
	if (compare(exec->graph, graph, info))
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	res = replacement(graph, exec->graph, &copy);
	if (res) {
		differ(info, CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL);
		return res;
	}
	graph_close(exec->graph);
	exec->graph = copy;
	differ(info, CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL, NULL);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphExecUpdate(CUgraphExec handle, CUgraph from,
			       CUgraphNode *bad,
			       CUgraphExecUpdateResult *result)
{
	CUgraphExecUpdateResultInfo info = {0};
	CUresult res = sim_cuGraphExecUpdate_v2(handle, from, &info);

	if (bad)
		*bad = info.errorNode;
	if (result)
		*result = info.result;
	return res;
}
