/* Nodes that record events and nodes that wait for them. An event is that of
 * the time of the launch: as if a stream recorded it there, or waited. */
#include "entries.h"
#include "event.h"
#include "graph_nodes.h"
#include "node.h"

static CUresult outer_find(CUevent handle, struct event **event)
{
	CUresult res = event_find(handle, event);

	/* A slot on a board needs operations of its own. */
	return !res && (*event)->slot ? CUDA_ERROR_NOT_SUPPORTED : res;
}

static CUresult add(const struct place *place, CUgraphNodeType type,
		    CUevent handle)
{
	struct event *event;
	struct node *node;
	CUresult res = outer_find(handle, &event);

	if (!res)
		res = node_add(place, type, &node);
	if (!res)
		node_set_event(node, event);
	return res;
}

CUresult sim_cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
				       const CUgraphNode *dependencies,
				       size_t count, CUevent event)
{
	struct place place = {out, graph, dependencies, count};

	return add(&place, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult sim_cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
				     const CUgraphNode *dependencies,
				     size_t count, CUevent event)
{
	struct place place = {out, graph, dependencies, count};

	return add(&place, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

static CUresult get(CUgraphNode handle, CUgraphNodeType type, CUevent *event)
{
	struct node *node;
	CUresult res = node_of(handle, type, &node);

	if (!res && !event)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*event = (CUevent)node->event;
	return res;
}

CUresult sim_cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
	return get(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult sim_cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
	return get(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

/* Takes the result of finding the node. */
static CUresult set(CUresult res, struct node *node, CUevent handle)
{
	struct event *event;

	if (!res)
		res = outer_find(handle, &event);
	if (!res)
		node_set_event(node, event);
	return res;
}

CUresult sim_cuGraphEventRecordNodeSetEvent(CUgraphNode handle, CUevent event)
{
	struct node *node = NULL;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_EVENT_RECORD, &node);

	return set(res, node, event);
}

CUresult sim_cuGraphEventWaitNodeSetEvent(CUgraphNode handle, CUevent event)
{
	struct node *node = NULL;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_WAIT_EVENT, &node);

	return set(res, node, event);
}

CUresult sim_cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec,
						CUgraphNode of, CUevent event)
{
	struct node *node = NULL;
	CUresult res =
		exec_node(exec, of, CU_GRAPH_NODE_TYPE_EVENT_RECORD, &node);

	return set(res, node, event);
}

CUresult sim_cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode of,
					      CUevent event)
{
	struct node *node = NULL;
	CUresult res =
		exec_node(exec, of, CU_GRAPH_NODE_TYPE_WAIT_EVENT, &node);

	return set(res, node, event);
}
