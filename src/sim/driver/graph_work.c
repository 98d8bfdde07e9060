/* New parameters for nodes of kernels and host functions, and what the nodes of
 * a graph do. */
#include "array.h"
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

/* One side of a copy, as the program would describe it. */
struct side {
	CUmemorytype type;
	CUarray array;
	size_t x, y, z; /* of its first byte in the array */
	size_t pitch, height;
};

/* The array or level that has this address in an array's memory. */
static struct array *array_at(const struct block *block, const char *addr)
{
	struct array *array = block->array;

	for (unsigned i = 0; i < block->array->level_count; i++)
		if (array_base(block->array->levels[i]) <= addr)
			array = block->array->levels[i];
	return array;
}

static struct side side_of(const char *addr, size_t pitch, size_t slice)
{
	const struct block *block = device_block((CUdeviceptr)addr);
	struct side side = {.type = CU_MEMORYTYPE_DEVICE,
			    .pitch = pitch,
			    .height = pitch ? slice / pitch : 0};
	const struct array *array;
	size_t offset;

	if (!block || block_is_pinned(block))
		side.type = CU_MEMORYTYPE_HOST;
	if (!block || block->kind != BLOCK_ARRAY)
		return side;
	array = array_at(block, addr);
	offset = (size_t)(addr - array_base(array));
	return (struct side){.type = CU_MEMORYTYPE_ARRAY,
			     .array = (CUarray)array,
			     .x = offset % array->row,
			     .y = offset / array->row % array_rows(array),
			     .z = offset / array->row / array_rows(array)};
}

/* Told from the addresses. */
CUresult sim_cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *out)
{
	const struct copy *copy;
	struct side src, dst;
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_MEMCPY, &node);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	copy = &node->work->copy;
	src = side_of(copy->src, copy->src_pitch, copy->src_slice);
	dst = side_of(copy->dst, copy->dst_pitch, copy->dst_slice);
	*out = (CUDA_MEMCPY3D){.srcMemoryType = src.type,
			       .srcXInBytes = src.x,
			       .srcY = src.y,
			       .srcZ = src.z,
			       .srcArray = src.array,
			       .srcPitch = src.pitch,
			       .srcHeight = src.height,
			       .dstMemoryType = dst.type,
			       .dstXInBytes = dst.x,
			       .dstY = dst.y,
			       .dstZ = dst.z,
			       .dstArray = dst.array,
			       .dstPitch = dst.pitch,
			       .dstHeight = dst.height,
			       .WidthInBytes = copy->width,
			       .Height = copy->height,
			       .Depth = copy->depth};
	if (!src.array) {
		out->srcHost = copy->src;
		out->srcDevice = (CUdeviceptr)copy->src;
	}
	if (!dst.array) {
		out->dstHost = copy->dst;
		out->dstDevice = (CUdeviceptr)copy->dst;
	}
	return CUDA_SUCCESS;
}
