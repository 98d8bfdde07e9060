/* Nodes that are added by one structure for all kinds, and new parameters
 * for nodes. */
#include "context.h"
#include "device.h"
#include "entries.h"
#include "exec.h"
#include "graph.h"
#include "graph_nodes.h"
#include "node.h"
#include "op.h"

/* The fill's parameters without the context, which only that structure has. */
static CUDA_MEMSET_NODE_PARAMS fill_of(const CUDA_MEMSET_NODE_PARAMS_v2 *fill)
{
	return (CUDA_MEMSET_NODE_PARAMS){.dst = fill->dst,
					 .pitch = fill->pitch,
					 .value = fill->value,
					 .elementSize = fill->elementSize,
					 .width = fill->width,
					 .height = fill->height};
}

static CUDA_KERNEL_NODE_PARAMS_v2 kernel_of(
	const CUDA_KERNEL_NODE_PARAMS_v3 *kernel)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = kernel->func,
		.gridDimX = kernel->gridDimX,
		.gridDimY = kernel->gridDimY,
		.gridDimZ = kernel->gridDimZ,
		.blockDimX = kernel->blockDimX,
		.blockDimY = kernel->blockDimY,
		.blockDimZ = kernel->blockDimZ,
		.sharedMemBytes = kernel->sharedMemBytes,
		.kernelParams = kernel->kernelParams,
		.extra = kernel->extra,
		.kern = kernel->kern,
		.ctx = kernel->ctx};
}

static CUresult add_kernel(const struct place *at,
			   const CUDA_KERNEL_NODE_PARAMS_v3 *kernel)
{
	CUDA_KERNEL_NODE_PARAMS_v2 own = kernel_of(kernel);

	return sim_cuGraphAddKernelNode_v2(at->out, at->graph, at->dependencies,
					   at->count, &own);
}

static CUresult add_child(const struct place *at,
			  const CUDA_CHILD_GRAPH_NODE_PARAMS *child)
{
	switch (child->ownership) {
	case CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE:
		return sim_cuGraphAddChildGraphNode(at->out, at->graph,
						    at->dependencies, at->count,
						    child->graph);
	case CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE:
		return node_move_child(at, child->graph);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult add_alloc(const struct place *at,
			  CUDA_MEM_ALLOC_NODE_PARAMS_v2 *alloc)
{
	CUDA_MEM_ALLOC_NODE_PARAMS own = {.poolProps = alloc->poolProps,
					  .accessDescs = alloc->accessDescs,
					  .accessDescCount =
						  alloc->accessDescCount,
					  .bytesize = alloc->bytesize};
	CUresult res = sim_cuGraphAddMemAllocNode(
		at->out, at->graph, at->dependencies, at->count, &own);

	if (!res)
		alloc->dptr = own.dptr;
	return res;
}

static CUDA_BATCH_MEM_OP_NODE_PARAMS batch_of(
	const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *batch)
{
	return (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = batch->ctx,
					       .count = batch->count,
					       .paramArray = batch->paramArray,
					       .flags = batch->flags};
}

static CUresult add(const struct place *at, CUgraphNodeParams *params)
{
	CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;

	switch (params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return add_kernel(at, &params->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_cuGraphAddMemcpyNode(
			at->out, at->graph, at->dependencies, at->count,
			&params->memcpy.copyParams, params->memcpy.copyCtx);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&params->memset);
		return sim_cuGraphAddMemsetNode(at->out, at->graph,
						at->dependencies, at->count,
						&fill, params->memset.ctx);
	case CU_GRAPH_NODE_TYPE_HOST:
		host = (CUDA_HOST_NODE_PARAMS){params->host.fn,
					       params->host.userData};
		return sim_cuGraphAddHostNode(
			at->out, at->graph, at->dependencies, at->count, &host);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return add_child(at, &params->graph);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return sim_cuGraphAddEmptyNode(at->out, at->graph,
					       at->dependencies, at->count);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return add_alloc(at, &params->alloc);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return sim_cuGraphAddMemFreeNode(at->out, at->graph,
						 at->dependencies, at->count,
						 params->free.dptr);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		batch = batch_of(&params->memOp);
		return sim_cuGraphAddBatchMemOpNode(at->out, at->graph,
						    at->dependencies, at->count,
						    &batch);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return condition_add(at, &params->conditional);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return sim_cuGraphAddEventRecordNode(
			at->out, at->graph, at->dependencies, at->count,
			params->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return sim_cuGraphAddEventWaitNode(at->out, at->graph,
						   at->dependencies, at->count,
						   params->eventWait.event);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult sim_cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph,
			       const CUgraphNode *dependencies,
			       const CUgraphEdgeData *data, size_t count,
			       CUgraphNodeParams *params)
{
	struct place place = {out, graph, dependencies, count};
	CUresult res = params ? node_data_check(data, count)
			      : CUDA_ERROR_INVALID_VALUE;

	return res ? res : add(&place, params);
}

CUresult sim_cuGraphAddNode(CUgraphNode *out, CUgraph graph,
			    const CUgraphNode *dependencies, size_t count,
			    CUgraphNodeParams *params)
{
	return sim_cuGraphAddNode_v2(out, graph, dependencies, NULL, count,
				     params);
}

CUresult node_of(CUgraphNode handle, CUgraphNodeType type, struct node **node)
{
	CUresult res = node_find(handle, node);

	return !res && (*node)->type != type ? CUDA_ERROR_INVALID_VALUE : res;
}

void work_replace(struct node *node, struct op *op, uint64_t ns)
{
	op_drop(node->work);
	node->work = op;
	node->ns = ns;
}

CUresult sim_cuGraphMemcpyNodeSetParams(CUgraphNode handle,
					const CUDA_MEMCPY3D *params)
{
	struct node *node;
	struct op *op;
	uint64_t ns;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_MEMCPY, &node);

	if (!res)
		res = node_copy_op(params, &op, &ns);
	if (!res)
		work_replace(node, op, ns);
	return res;
}

CUresult sim_cuGraphMemsetNodeSetParams(CUgraphNode handle,
					const CUDA_MEMSET_NODE_PARAMS *params)
{
	struct node *node;
	struct op *op;
	uint64_t ns;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_MEMSET, &node);

	if (!res)
		res = node_fill_op(params, &op, &ns);
	if (!res)
		work_replace(node, op, ns);
	return res;
}

CUresult sim_cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
	CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	switch (params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		kernel = kernel_of(&params->kernel);
		return sim_cuGraphKernelNodeSetParams_v2(node, &kernel);
	case CU_GRAPH_NODE_TYPE_HOST:
		host = (CUDA_HOST_NODE_PARAMS){params->host.fn,
					       params->host.userData};
		return sim_cuGraphHostNodeSetParams(node, &host);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_cuGraphMemcpyNodeSetParams(
			node, &params->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&params->memset);
		return sim_cuGraphMemsetNodeSetParams(node, &fill);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		batch = batch_of(&params->memOp);
		return sim_cuGraphBatchMemOpNodeSetParams(node, &batch);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return sim_cuGraphEventRecordNodeSetEvent(
			node, params->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return sim_cuGraphEventWaitNodeSetEvent(
			node, params->eventWait.event);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult exec_node(CUgraphExec handle, CUgraphNode of, CUgraphNodeType type,
		   struct node **out)
{
	struct exec *exec;
	struct node *node;
	CUresult res = exec_find(handle, &exec);

	if (!res)
		res = node_of(of, type, &node);
	if (!res)
		node = node_copy_in(exec->graph, node->id);
	if (res || !node)
		return CUDA_ERROR_INVALID_VALUE;
	*out = node;
	return CUDA_SUCCESS;
}

/* CUDA asks for memory of the same context. Here it only has to be of the
 * same device. */
static bool is_as_near(const void *now, const void *former)
{
	struct block *one = device_block((CUdeviceptr)now);
	struct block *other = device_block((CUdeviceptr)former);

	return !one == !other && (!one || one->dev == other->dev);
}

static CUresult exec_replace(struct node *node, struct op *op, uint64_t ns,
			     bool fits)
{
	if (fits) {
		work_replace(node, op, ns);
		return CUDA_SUCCESS;
	}
	op_drop(op);
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode of,
					    const CUDA_MEMCPY3D *params,
					    CUcontext where)
{
	struct context *ctx;
	struct node *node;
	struct op *op;
	uint64_t ns;
	CUresult res = exec_node(exec, of, CU_GRAPH_NODE_TYPE_MEMCPY, &node);

	if (!res)
		res = context_find(where, &ctx);
	if (!res)
		res = node_copy_op(params, &op, &ns);
	if (res)
		return res;
	return exec_replace(
		node, op, ns,
		is_as_near(op->copy.dst, node->work->copy.dst) &&
			is_as_near(op->copy.src, node->work->copy.src));
}

CUresult sim_cuGraphExecMemsetNodeSetParams(
	CUgraphExec exec, CUgraphNode of, const CUDA_MEMSET_NODE_PARAMS *params,
	CUcontext where)
{
	struct context *ctx;
	struct node *node;
	struct op *op;
	uint64_t ns;
	CUresult res = exec_node(exec, of, CU_GRAPH_NODE_TYPE_MEMSET, &node);

	if (!res)
		res = context_find(where, &ctx);
	if (!res)
		res = node_fill_op(params, &op, &ns);
	if (res)
		return res;
	return exec_replace(node, op, ns,
			    is_as_near(op->fill.dst, node->work->fill.dst));
}

CUresult sim_cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
				      CUgraphNodeParams *params)
{
	CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	switch (params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		kernel = kernel_of(&params->kernel);
		return sim_cuGraphExecKernelNodeSetParams_v2(exec, node,
							     &kernel);
	case CU_GRAPH_NODE_TYPE_HOST:
		host = (CUDA_HOST_NODE_PARAMS){params->host.fn,
					       params->host.userData};
		return sim_cuGraphExecHostNodeSetParams(exec, node, &host);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_cuGraphExecMemcpyNodeSetParams(
			exec, node, &params->memcpy.copyParams,
			params->memcpy.copyCtx);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&params->memset);
		return sim_cuGraphExecMemsetNodeSetParams(exec, node, &fill,
							  params->memset.ctx);
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		batch = batch_of(&params->memOp);
		return sim_cuGraphExecBatchMemOpNodeSetParams(exec, node,
							      &batch);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return sim_cuGraphExecEventRecordNodeSetEvent(
			exec, node, params->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return sim_cuGraphExecEventWaitNodeSetEvent(
			exec, node, params->eventWait.event);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return sim_cuGraphExecChildGraphNodeSetParams(
			exec, node, params->graph.graph);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}
