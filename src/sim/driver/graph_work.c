/* New parameters for nodes of kernels and host functions, and what the nodes of
 * a graph do. */
#include "context.h"
#include "device.h"
#include "entries.h"
#include "graph_nodes.h"
#include "node.h"
#include "op.h"
#include "world.h"

/* A node stays in its context, so the new kernel must be for that one. */
static CUresult kernel_replace(struct node *node,
			       const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = node_kernel_op(params, &op, &ns, &ctx);

	if (res)
		return res;
	if (ctx != node->ctx) {
		op_drop(op);
		return CUDA_ERROR_INVALID_VALUE;
	}
	work_replace(node, op, ns);
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphKernelNodeSetParams_v2(
	CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL, &node);

	return res ? res : kernel_replace(node, params);
}

CUresult sim_cuGraphKernelNodeSetParams(
	CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	CUDA_KERNEL_NODE_PARAMS_v2 own;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	own = node_kernel_v2(params);
	return sim_cuGraphKernelNodeSetParams_v2(node, &own);
}

CUresult sim_cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec exec, CUgraphNode of,
	const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	struct node *node;
	CUresult res = exec_node(exec, of, CU_GRAPH_NODE_TYPE_KERNEL, &node);

	return res ? res : kernel_replace(node, params);
}

CUresult sim_cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode of,
	const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	CUDA_KERNEL_NODE_PARAMS_v2 own;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	own = node_kernel_v2(params);
	return sim_cuGraphExecKernelNodeSetParams_v2(exec, of, &own);
}

static CUresult host_replace(struct node *node,
			     const CUDA_HOST_NODE_PARAMS *params)
{
	struct op *op;
	CUresult res = node_host_op(params, &op);

	if (!res)
		work_replace(node, op, world.profile.callback_ns);
	return res;
}

CUresult sim_cuGraphHostNodeSetParams(CUgraphNode handle,
				      const CUDA_HOST_NODE_PARAMS *params)
{
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_HOST, &node);

	return res ? res : host_replace(node, params);
}

CUresult sim_cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode of,
					  const CUDA_HOST_NODE_PARAMS *params)
{
	struct node *node;
	CUresult res = exec_node(exec, of, CU_GRAPH_NODE_TYPE_HOST, &node);

	return res ? res : host_replace(node, params);
}

CUresult sim_cuGraphHostNodeGetParams(CUgraphNode handle,
				      CUDA_HOST_NODE_PARAMS *out)
{
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_HOST, &node);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_HOST_NODE_PARAMS){node->work->callback.fn,
				       node->work->callback.user};
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphMemsetNodeGetParams(CUgraphNode handle,
					CUDA_MEMSET_NODE_PARAMS *out)
{
	const struct fill *fill;
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_MEMSET, &node);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	fill = &node->work->fill;
	*out = (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)fill->dst,
					 .pitch = fill->pitch,
					 .value = fill->value,
					 .elementSize = fill->element,
					 .width = fill->width,
					 .height = fill->height};
	return CUDA_SUCCESS;
}

static CUmemorytype side_type(const void *addr)
{
	const struct block *block = device_block((CUdeviceptr)addr);

	if (!block || block_is_pinned(block))
		return CU_MEMORYTYPE_HOST;
	return block->kind == BLOCK_ARRAY ? CU_MEMORYTYPE_ARRAY
					  : CU_MEMORYTYPE_DEVICE;
}

/* Told from the addresses. Those of an array do not lead to its handle. */
CUresult sim_cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *out)
{
	const struct copy *copy;
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_MEMCPY, &node);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	copy = &node->work->copy;
	if (side_type(copy->src) == CU_MEMORYTYPE_ARRAY ||
	    side_type(copy->dst) == CU_MEMORYTYPE_ARRAY)
		return CUDA_ERROR_NOT_SUPPORTED;
	*out = (CUDA_MEMCPY3D){
		.srcMemoryType = side_type(copy->src),
		.srcHost = copy->src,
		.srcDevice = (CUdeviceptr)copy->src,
		.srcPitch = copy->src_pitch,
		.srcHeight =
			copy->src_pitch ? copy->src_slice / copy->src_pitch : 0,
		.dstMemoryType = side_type(copy->dst),
		.dstHost = copy->dst,
		.dstDevice = (CUdeviceptr)copy->dst,
		.dstPitch = copy->dst_pitch,
		.dstHeight =
			copy->dst_pitch ? copy->dst_slice / copy->dst_pitch : 0,
		.WidthInBytes = copy->width,
		.Height = copy->height,
		.Depth = copy->depth};
	return CUDA_SUCCESS;
}
