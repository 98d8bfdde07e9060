/* What the nodes of kernels do, and their attributes. */
#include "entries.h"
#include "graph_nodes.h"
#include "launch_attributes.h"
#include "module.h"
#include "node.h"
#include "op.h"

/* The arguments are the node's own. */
static CUresult params_get(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
	const struct launch *launch;
	struct node *node;
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL, &node);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	launch = &node->work->launch;
	*out = (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = (CUfunction)launch->function,
		.gridDimX = launch->shape.grid[0],
		.gridDimY = launch->shape.grid[1],
		.gridDimZ = launch->shape.grid[2],
		.blockDimX = launch->shape.block[0],
		.blockDimY = launch->shape.block[1],
		.blockDimZ = launch->shape.block[2],
		.sharedMemBytes = (unsigned)launch->shape.shared_bytes,
		.kernelParams = launch->args,
		.ctx = (CUcontext)node->ctx};
	return CUDA_SUCCESS;
}

/* A node is told as it was named: by a function or by a kernel. */
CUresult sim_cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
					   CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
	CUresult res = params_get(handle, out);

	if (!res && ((struct node *)handle)->work->launch.by_kernel) {
		out->kern = (CUkernel)out->func;
		out->func = NULL;
	}
	return res;
}

CUresult sim_cuGraphKernelNodeGetParams(CUgraphNode handle,
					CUDA_KERNEL_NODE_PARAMS_v1 *out)
{
	CUDA_KERNEL_NODE_PARAMS_v2 own;
	CUresult res = params_get(handle, &own);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_KERNEL_NODE_PARAMS_v1){.func = own.func,
					    .gridDimX = own.gridDimX,
					    .gridDimY = own.gridDimY,
					    .gridDimZ = own.gridDimZ,
					    .blockDimX = own.blockDimX,
					    .blockDimY = own.blockDimY,
					    .blockDimZ = own.blockDimZ,
					    .sharedMemBytes =
						    own.sharedMemBytes,
					    .kernelParams = own.kernelParams};
	return CUDA_SUCCESS;
}

static bool is_known(CUkernelNodeAttrID what)
{
	switch ((int)what) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
	case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
		return true;
	default:
		return false;
	}
}

static CUresult attribute_find(CUgraphNode handle, CUkernelNodeAttrID what,
			       const void *value, struct node **node)
{
	CUresult res = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL, node);

	if (res || !value)
		return CUDA_ERROR_INVALID_VALUE;
	if (what == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
		return CUDA_ERROR_NOT_SUPPORTED;
	return is_known(what) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphKernelNodeGetAttribute(CUgraphNode handle,
					   CUkernelNodeAttrID what,
					   CUkernelNodeAttrValue *value)
{
	struct node *node;
	CUresult res = attribute_find(handle, what, value, &node);

	if (!res)
		*value = node->attributes ? node->attributes->at[what]
					  : (CUkernelNodeAttrValue){0};
	return res;
}

CUresult sim_cuGraphKernelNodeSetAttribute(CUgraphNode handle,
					   CUkernelNodeAttrID what,
					   const CUkernelNodeAttrValue *value)
{
	struct node *node;
	CUresult res = attribute_find(handle, what, value, &node);

	if (!res && !attribute_fits(what, value))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && what == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
		res = cluster_check(node->work->launch.function,
				    value->clusterDim.x, value->clusterDim.y,
				    value->clusterDim.z,
				    &node->work->launch.shape);
	return res ? res : attributes_set(&node->attributes, what, value);
}

CUresult sim_cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	struct node *target, *source;
	CUresult res = node_of(to, CU_GRAPH_NODE_TYPE_KERNEL, &target);

	if (!res)
		res = node_of(from, CU_GRAPH_NODE_TYPE_KERNEL, &source);
	if (!res && target->ctx != source->ctx)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && !attributes_copy(source->attributes, &target->attributes))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	return res;
}
