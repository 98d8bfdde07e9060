/* Calls that make graphs from other graphs, and calls that end graphs. */
#include "bounds.h"
#include "call.h"
#include "heap/graph_owner.h"
#include "heap/deferred_free.h"
#include "hook.h"
#include "mem/mem.h"
#include "peer_touch.h"
#include "order/event_order.h"
#include "order/stream_order.h"

static CUresult graph_hook_made(CUresult res, CUgraph from,
				const void *const *graph)
{
	if (!res && graph && mem_enabled()) {
		graph_is_new(*graph);
		graph_made(graph_root(from), *graph);
	}
	return res;
}

static CUresult graph_hook_joined(CUresult res, CUgraph from, const void *graph)
{
	if (!res && mem_enabled())
		graph_attached(graph_root(from), graph_root(graph));
	return res;
}

static CUresult graph_hook_updated(CUresult res, CUgraph from, CUgraphExec exec)
{
	if (!res && mem_enabled())
		graph_made(graph_root(from), exec);
	return res;
}

/* Noted before the call, as another graph may get the handle right after it. If
 * the call fails, there was no such graph, or it is unusable now. */
static void graph_hook_ends(const void *graph)
{
	if (mem_enabled())
		graph_ended(graph);
}

EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	CUresult res = ROOM_CALL(cuGraphCreate, graph, flags);

	if (!res && mem_enabled())
		graph_is_new(*graph);
	return res;
}

EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
	if (mem_enabled())
		graph_owner_ended(graph);
	graph_hook_ends(graph);
	return REAL_CALL(cuGraphDestroy, graph);
}

EXPORT CUresult cuGraphDestroyNode(CUgraphNode node)
{
	struct owned *list = mem_enabled() ? graph_node_end_begin(node) : NULL;
	CUresult res = REAL_CALL(cuGraphDestroyNode, node);

	graph_node_end_finish(list, res);
	return res;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	graph_hook_ends(exec);
	return REAL_CALL(cuGraphExecDestroy, exec);
}

EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
	return graph_hook_made(ROOM_CALL(cuGraphClone, clone, graph), graph,
			       (const void *const *)clone);
}

EXPORT CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
				   CUgraphNode *node, char *log, size_t size)
{
	return graph_hook_made(
		ROOM_CALL(cuGraphInstantiate, exec, graph, node, log, size),
		graph, (const void *const *)exec);
}

EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph,
				      CUgraphNode *node, char *log, size_t size)
{
	return graph_hook_made(
		ROOM_CALL(cuGraphInstantiate_v2, exec, graph, node, log, size),
		graph, (const void *const *)exec);
}

/* A graph that the device launches itself may run outside every stream's
 * order. */
static void flags_note(unsigned long long flags)
{
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
		stream_order_opaque();
}

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
					    unsigned long long flags)
{
	flags_note(flags);
	return graph_hook_made(
		ROOM_CALL(cuGraphInstantiateWithFlags, exec, graph, flags),
		graph, (const void *const *)exec);
}

EXPORT CUresult cuGraphInstantiateWithParams(
	CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	flags_note(params ? params->flags : 0);
	return graph_hook_made(
		ROOM_CALL(cuGraphInstantiateWithParams, exec, graph, params),
		graph, (const void *const *)exec);
}

EXPORT CUresult cuGraphInstantiateWithParams_ptsz(
	CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	flags_note(params ? params->flags : 0);
	return graph_hook_made(ROOM_CALL(cuGraphInstantiateWithParams_ptsz,
					 exec, graph, params),
			       graph, (const void *const *)exec);
}

/* The node owns a copy of the child, and that copy has a handle of its own. */
static CUresult graph_hook_adopted(CUresult res, const CUgraphNode *node,
				   CUgraph child, CUgraph graph)
{
	CUgraph copy;

	if (!res && mem_enabled() &&
	    !REAL_CALL(cuGraphChildGraphNodeGetGraph, *node, &copy))
		graph_owned(copy, graph, *node);
	return graph_hook_joined(res, child, graph);
}

EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
					 const CUgraphNode *nodes, size_t count,
					 CUgraph child)
{
	return graph_hook_adopted(ROOM_CALL(cuGraphAddChildGraphNode, node,
					    graph, nodes, count, child),
				  node, child, graph);
}

EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
	CUresult res = REAL_CALL(cuGraphChildGraphNodeGetGraph, node, graph);

	if (!res && mem_enabled())
		graph_met(*graph, node);
	return res;
}

static bool node_is_refused(const CUgraphNodeParams *params)
{
	return regions_exist() && !bounds_hold_node(params);
}

static void node_note(const CUgraphNodeParams *params)
{
	peer_touch_node(params);
	if (params && params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		events_opaque();
}

static CUresult graph_hook_added(CUresult res, const CUgraphNode *node,
				 const CUgraphNodeParams *params, CUgraph graph)
{
	const CUDA_CONDITIONAL_NODE_PARAMS *condition;

	if (res || !params || !mem_enabled())
		return res;
	condition = &params->conditional;
	if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return graph_hook_adopted(res, node, params->graph.graph,
					  graph);
	if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		for (unsigned int i = 0; i < condition->size; i++)
			graph_owned(condition->phGraph_out[i], graph, *node);
	return res;
}

EXPORT CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
			       const CUgraphNode *nodes, size_t count,
			       CUgraphNodeParams *params)
{
	if (node_is_refused(params))
		return CUDA_ERROR_INVALID_VALUE;
	node_note(params);
	return graph_hook_added(
		ROOM_CALL(cuGraphAddNode, node, graph, nodes, count, params),
		node, params, graph);
}

EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
				  const CUgraphNode *nodes,
				  const CUgraphEdgeData *data, size_t count,
				  CUgraphNodeParams *params)
{
	if (node_is_refused(params))
		return CUDA_ERROR_INVALID_VALUE;
	node_note(params);
	return graph_hook_added(ROOM_CALL(cuGraphAddNode_v2, node, graph, nodes,
					  data, count, params),
				node, params, graph);
}

EXPORT CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
				  CUgraphNode *node,
				  CUgraphExecUpdateResult *result)
{
	return graph_hook_updated(
		ROOM_CALL(cuGraphExecUpdate, exec, graph, node, result), graph,
		exec);
}

EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
				     CUgraphExecUpdateResultInfo *result)
{
	return graph_hook_updated(
		ROOM_CALL(cuGraphExecUpdate_v2, exec, graph, result), graph,
		exec);
}

EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec,
						   CUgraphNode node,
						   CUgraph child)
{
	return graph_hook_joined(ROOM_CALL(cuGraphExecChildGraphNodeSetParams,
					   exec, node, child),
				 child, exec);
}
