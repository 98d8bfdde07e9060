#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "condition.h"
#include "context.h"
#include "entries.h"
#include "exec.h"
#include "graph.h"
#include "graph_block.h"
#include "node.h"
#include "stream.h"
#include "world.h"

static struct exec *spare, *made;

static struct exec *exec_new(void)
{
	struct exec *exec = spare;

	if (exec) {
		spare = exec->next;
		return exec;
	}
	exec = malloc(sizeof(*exec));
	if (!exec)
		return NULL;
	exec->made = made;
	made = exec;
	return exec;
}

/* If the graph has a cycle, *bad is a node that cannot be reached. */
static CUresult exec_open(CUgraphExec *out, CUgraph handle,
			  unsigned long long flags, struct node **bad)
{
	struct graph *graph, *copy;
	struct exec *exec;
	CUresult res = graph_find(handle, &graph);

	if (!res && (!out || graph->owned))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
		res = CUDA_ERROR_NOT_SUPPORTED;
	if (!res && graph->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res && graph->instance &&
	    (graph_has_memory(graph) || graph_has_conditions(graph)))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && !conditions_fit(graph))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = graph_copy_sorted(graph, &copy, bad);
	if (res)
		return res;
	exec = exec_new();
	if (!exec) {
		graph_close(copy);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*exec = (struct exec){.magic = EXEC_MAGIC,
			      .made = exec->made,
			      .graph = copy,
			      .origin = graph,
			      .flags = flags};
	graph->instance = exec;
	*out = (CUgraphExec)exec;
	return CUDA_SUCCESS;
}

static const unsigned long long FLAGS_KNOWN =
	CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
	CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
	CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
					 unsigned long long flags)
{
	struct node *bad;

	return flags & ~FLAGS_KNOWN ? CUDA_ERROR_INVALID_VALUE
				    : exec_open(out, graph, flags, &bad);
}

CUresult sim_cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph,
				   CUgraphNode *bad, char *log, size_t size)
{
	struct node *found = NULL;
	CUresult res = exec_open(out, graph, 0, &found);

	if (bad)
		*bad = (CUgraphNode)found;
	if (log && size)
		*log = '\0';
	return res;
}

CUresult sim_cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
					  CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	const cuuint64_t later = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
	struct node *bad = NULL;
	CUgraphExec exec;
	CUresult res;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	res = out && !(params->flags & ~(FLAGS_KNOWN | later))
		      ? exec_open(&exec, graph, params->flags & ~later, &bad)
		      : CUDA_ERROR_INVALID_VALUE;
	if (!res && params->flags & later) {
		res = sim_cuGraphUpload(exec, params->hUploadStream);
		if (res)
			sim_cuGraphExecDestroy(exec);
	}
	params->hErrNode_out = (CUgraphNode)bad;
	params->result_out = bad   ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
			     : res ? CUDA_GRAPH_INSTANTIATE_ERROR
				   : CUDA_GRAPH_INSTANTIATE_SUCCESS;
	if (!res)
		*out = exec;
	return res;
}

CUresult sim_cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags)
{
	struct exec *exec;
	CUresult res = exec_find(handle, &exec);

	if (res)
		return res;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = exec->flags;
	return CUDA_SUCCESS;
}

/* Does not wait: what is queued has copies of its own. */
CUresult sim_cuGraphExecDestroy(CUgraphExec handle)
{
	struct exec *exec;
	CUresult res = exec_find(handle, &exec);

	if (res)
		return res;
	exec->magic = 0;
	if (exec->origin->instance == exec)
		exec->origin->instance = NULL;
	graph_close(exec->graph);
	fence_clear(&exec->last);
	exec->next = spare;
	spare = exec;
	return CUDA_SUCCESS;
}

/* Uploads nothing: the graph runs from the host's memory. */
CUresult sim_cuGraphUpload(CUgraphExec handle, CUstream where)
{
	struct stream *stream;
	struct exec *exec;
	CUresult res = exec_find(handle, &exec);

	if (!res)
		res = stream_use(where, &stream);
	if (res)
		return res;
	return stream->capture ? capture_refuse(stream->capture) : CUDA_SUCCESS;
}

/* A launch in a capturing stream becomes a child graph. */
static CUresult capture_launch(struct exec *exec, struct stream *stream)
{
	struct graph *copy;
	struct node *node;
	CUresult res;

	if (graph_has_memory(exec->graph) || graph_has_conditions(exec->graph))
		return CUDA_ERROR_NOT_SUPPORTED;
	copy = graph_copy(exec->graph);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = capture_node(stream, CU_GRAPH_NODE_TYPE_GRAPH, &node);
	if (res) {
		graph_close(copy);
		return res;
	}
	node->child = copy;
	copy->owned = true;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphLaunch(CUgraphExec handle, CUstream where)
{
	struct stream *stream;
	struct exec *exec;
	CUresult res = exec_find(handle, &exec);

	if (!res)
		res = stream_use(where, &stream);
	if (res)
		return res;
	clock_spend(world.profile.submit_ns);
	return stream->capture ? capture_launch(exec, stream)
			       : exec_launch(exec, stream);
}
