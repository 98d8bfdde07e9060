/* Nodes that the program itself adds to a graph. */
#include "callback.h"
#include "condition.h"
#include "context.h"
#include "copy.h"
#include "entries.h"
#include "fill.h"
#include "graph.h"
#include "graph_block.h"
#include "graph_nodes.h"
#include "launch.h"
#include "module.h"
#include "node.h"
#include "world.h"

CUresult node_add(const struct place *place, CUgraphNodeType type,
		  struct node **node)
{
	struct nodes before = {0};
	struct graph *graph;
	CUresult res = place->out ? graph_find(place->graph, &graph)
				  : CUDA_ERROR_INVALID_VALUE;

	if (!res)
		res = node_set_find(graph, place->dependencies, place->count,
				    &before);
	if (!res)
		res = node_open(graph, type, &before, node);
	nodes_clear(&before);
	if (!res)
		*place->out = (CUgraphNode)*node;
	return res;
}

CUresult node_work_add(const struct place *place, struct op *op, uint64_t ns,
		       struct context *ctx)
{
	struct node *node;
	CUresult res = node_add(place, op->type, &node);

	if (res)
		op_drop(op);
	else
		node_set_work(node, op, ns, ctx);
	return res;
}

CUresult sim_cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
				 const CUgraphNode *dependencies, size_t count)
{
	struct place place = {out, graph, dependencies, count};
	struct node *node;

	return node_add(&place, CU_GRAPH_NODE_TYPE_EMPTY, &node);
}

CUresult node_kernel_op(const CUDA_KERNEL_NODE_PARAMS_v2 *params,
			struct op **op, uint64_t *ns, struct context **ctx)
{
	struct function *function;
	struct sim_launch shape;
	CUresult res;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	res = function_find(params->func ? (void *)params->func : params->kern,
			    &function);
	if (res)
		return res;
	*ctx = function->module->ctx;
	if (!*ctx)
		res = context_find(params->func ? NULL : params->ctx, ctx);
	shape = (struct sim_launch){
		.grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
		.block = {params->blockDimX, params->blockDimY,
			  params->blockDimZ},
		.shared_bytes = params->sharedMemBytes};
	if (!res)
		res = launch_op(function, *ctx, &shape, params->kernelParams,
				params->extra, op, ns);
	if (!res)
		(*op)->launch.by_kernel = !params->func;
	return res;
}

CUresult sim_cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
				     const CUgraphNode *dependencies,
				     size_t count,
				     const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	struct place place = {out, graph, dependencies, count};
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = node_kernel_op(params, &op, &ns, &ctx);

	return res ? res : node_work_add(&place, op, ns, ctx);
}

CUDA_KERNEL_NODE_PARAMS_v2 node_kernel_v2(
	const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = params->func,
		.gridDimX = params->gridDimX,
		.gridDimY = params->gridDimY,
		.gridDimZ = params->gridDimZ,
		.blockDimX = params->blockDimX,
		.blockDimY = params->blockDimY,
		.blockDimZ = params->blockDimZ,
		.sharedMemBytes = params->sharedMemBytes,
		.kernelParams = params->kernelParams,
		.extra = params->extra};
}

CUresult sim_cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *dependencies, size_t count,
				  const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	CUDA_KERNEL_NODE_PARAMS_v2 own;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	own = node_kernel_v2(params);
	return sim_cuGraphAddKernelNode_v2(out, graph, dependencies, count,
					   &own);
}

CUresult node_copy_op(const CUDA_MEMCPY3D *params, struct op **op, uint64_t *ns)
{
	struct copy copy;
	CUresult res = copy_from_3d(params, &copy);

	if (!res && (!copy.width || !copy.height || !copy.depth))
		res = CUDA_ERROR_INVALID_VALUE;
	return res ? res : copy_op(copy, op, ns);
}

CUresult sim_cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *dependencies, size_t count,
				  const CUDA_MEMCPY3D *params, CUcontext where)
{
	struct place place = {out, graph, dependencies, count};
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = context_find(where, &ctx);

	if (!res)
		res = node_copy_op(params, &op, &ns);
	return res ? res : node_work_add(&place, op, ns, ctx);
}

CUresult node_fill_op(const CUDA_MEMSET_NODE_PARAMS *params, struct op **op,
		      uint64_t *ns)
{
	struct fill fill;

	if (!params || !params->width || !params->height ||
	    (params->elementSize != 1 && params->elementSize != 2 &&
	     params->elementSize != 4))
		return CUDA_ERROR_INVALID_VALUE;
	fill = (struct fill){.dst = (char *)params->dst,
			     .pitch = params->pitch,
			     .width = params->width,
			     .height = params->height,
			     .element = params->elementSize,
			     .value = params->value};
	return fill_op(fill, op, ns);
}

CUresult sim_cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *dependencies, size_t count,
				  const CUDA_MEMSET_NODE_PARAMS *params,
				  CUcontext where)
{
	struct place place = {out, graph, dependencies, count};
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = context_find(where, &ctx);

	if (!res)
		res = node_fill_op(params, &op, &ns);
	return res ? res : node_work_add(&place, op, ns, ctx);
}

CUresult node_host_op(const CUDA_HOST_NODE_PARAMS *params, struct op **op)
{
	if (!params || !params->fn)
		return CUDA_ERROR_INVALID_VALUE;
	*op = callback_op(
		(struct callback){.fn = params->fn, .user = params->userData});
	return *op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
				const CUgraphNode *dependencies, size_t count,
				const CUDA_HOST_NODE_PARAMS *params)
{
	struct place place = {out, graph, dependencies, count};
	struct context *ctx;
	struct op *op;
	CUresult res = context_current(&ctx);

	if (!res)
		res = node_host_op(params, &op);
	return res ? res
		   : node_work_add(&place, op, world.profile.callback_ns, ctx);
}

/* Finds a graph that can become a child: one that no node owns yet, and that
 * has no conditional nodes. */
static CUresult child_find(CUgraph handle, struct graph **child)
{
	CUresult res = graph_find(handle, child);

	if (!res && (*child)->owned)
		res = CUDA_ERROR_INVALID_VALUE;
	return !res && graph_has_conditions(*child) ? CUDA_ERROR_NOT_SUPPORTED
						    : res;
}

static CUresult child_add(const struct place *place, struct graph *child)
{
	struct node *node;
	CUresult res = node_add(place, CU_GRAPH_NODE_TYPE_GRAPH, &node);

	if (!res) {
		node->child = child;
		child->owned = true;
	}
	return res;
}

CUresult sim_cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
				      const CUgraphNode *dependencies,
				      size_t count, CUgraph child)
{
	struct place place = {out, graph, dependencies, count};
	struct graph *inner, *copy;
	CUresult res = child_find(child, &inner);

	if (!res && graph_has_memory(inner))
		res = CUDA_ERROR_NOT_SUPPORTED;
	if (res)
		return res;
	copy = graph_copy(inner);
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = child_add(&place, copy);
	if (res)
		graph_close(copy);
	return res;
}

CUresult node_move_child(const struct place *place, CUgraph child)
{
	struct graph *inner;
	CUresult res = child_find(child, &inner);

	if (!res && child == place->graph)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && inner->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	return res ? res : child_add(place, inner);
}

CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph *out)
{
	struct node *node;
	CUresult res = node_find(handle, &node);

	if (res)
		return res;
	if (!out || node->type != CU_GRAPH_NODE_TYPE_GRAPH)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUgraph)node->child;
	return CUDA_SUCCESS;
}
