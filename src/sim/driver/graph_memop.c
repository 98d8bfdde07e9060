/* Nodes of operations on values in memory. */
#include "context.h"
#include "entries.h"
#include "graph_nodes.h"
#include "memop.h"
#include "node.h"
#include "op.h"

static CUresult node_op(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
			struct op **op, struct context **ctx)
{
	CUresult res = params && !params->flags ? context_find(params->ctx, ctx)
						: CUDA_ERROR_INVALID_VALUE;

	return res ? res : memop_op(params->paramArray, params->count, op);
}

CUresult sim_cuGraphAddBatchMemOpNode(
	CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
	size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
	struct place place = {out, graph, dependencies, count};
	struct context *ctx;
	struct op *op;
	CUresult res = node_op(params, &op, &ctx);

	return res ? res : node_work_add(&place, op, 0, ctx);
}

CUresult sim_cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
					    CUDA_BATCH_MEM_OP_NODE_PARAMS *out)
{
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, &node);

	if (!res && !out)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*out = (CUDA_BATCH_MEM_OP_NODE_PARAMS){
			.ctx = (CUcontext)node->ctx,
			.count = node->work->memops.count,
			.paramArray = node->work->memops.parts};
	return res;
}

/* Takes the result of finding the node. */
static CUresult node_set(CUresult res, struct node *node,
			 const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
	struct context *ctx;
	struct op *op;

	if (!res)
		res = node_op(params, &op, &ctx);
	if (!res)
		work_replace(node, op, 0);
	return res;
}

CUresult sim_cuGraphBatchMemOpNodeSetParams(
	CUgraphNode handle, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
	struct node *node = NULL;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, &node);

	return node_set(res, node, params);
}

CUresult sim_cuGraphExecBatchMemOpNodeSetParams(
	CUgraphExec exec, CUgraphNode of,
	const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
	struct node *node = NULL;
	CUresult res =
		exec_node(exec, of, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, &node);

	return node_set(res, node, params);
}
