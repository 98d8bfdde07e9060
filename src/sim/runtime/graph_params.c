/* Nodes by one structure for all kinds; nodes that allocate or free. */
#include <string.h>

#include "binary.h"
#include "box.h"
#include "runtime.h"

static int kernel_params(const struct cudaKernelNodeParamsV2 *from,
			 CUDA_KERNEL_NODE_PARAMS_v3 *to)
{
	CUkernel kernel = NULL;
	int res = kernel_find(from->func, &kernel);

	*to = (CUDA_KERNEL_NODE_PARAMS_v3){.gridDimX = from->gridDim.x,
					   .gridDimY = from->gridDim.y,
					   .gridDimZ = from->gridDim.z,
					   .blockDimX = from->blockDim.x,
					   .blockDimY = from->blockDim.y,
					   .blockDimZ = from->blockDim.z,
					   .sharedMemBytes =
						   from->sharedMemBytes,
					   .kernelParams = from->kernelParams,
					   .extra = from->extra,
					   .kern = kernel};
	return res;
}

/* The kinds have the driver's numbers. The context of the calling thread is
 * that of the node. */
static int params_of(const struct cudaGraphNodeParams *from,
		     CUgraphNodeParams *to)
{
	CUcontext ctx = NULL;
	int res = driver_legacy.CtxGetCurrent(&ctx);

	*to = (CUgraphNodeParams){.type = (CUgraphNodeType)from->type};
	if (res)
		return res;
	switch (from->type) {
	case cudaGraphNodeTypeKernel:
		res = kernel_params(&from->kernel, &to->kernel);
		to->kernel.ctx = ctx;
		return res;
	case cudaGraphNodeTypeMemcpy:
		to->memcpy.copyCtx = ctx;
		return box_of(&from->memcpy.copyParams, &to->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		to->memset = (CUDA_MEMSET_NODE_PARAMS_v2){
			.dst = (CUdeviceptr)from->memset.dst,
			.pitch = from->memset.pitch,
			.value = from->memset.value,
			.elementSize = from->memset.elementSize,
			.width = from->memset.width,
			.height = from->memset.height,
			.ctx = ctx};
		return 0;
	case cudaGraphNodeTypeConditional:
		to->conditional = (CUDA_CONDITIONAL_NODE_PARAMS){
			.handle = from->conditional.handle,
			.type = (CUgraphConditionalNodeType)
					from->conditional.type,
			.size = from->conditional.size,
			.ctx = ctx};
		return 0;
	default: /* the others have the driver's form */
		memcpy(to->reserved1, from->reserved1, sizeof(to->reserved1));
		return 0;
	}
}

EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
				    const cudaGraphNode_t *before,
				    const cudaGraphEdgeData *data, size_t count,
				    struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = params_of(params, &own);
	if (!res)
		res = driver_legacy.GraphAddNode(node, graph, before,
						 (const CUgraphEdgeData *)data,
						 count, &own);
	if (!res && own.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		params->alloc.dptr = (void *)own.alloc.dptr;
	if (!res && own.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		params->conditional.phGraph_out = own.conditional.phGraph_out;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
					  struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = params_of(params, &own);
	if (!res)
		res = driver_legacy.GraphNodeSetParams(node, &own);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *params)
{
	CUgraphNodeParams own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = params_of(params, &own);
	if (!res)
		res = driver_legacy.GraphExecNodeSetParams(exec, node, &own);
	return runtime_result(res);
}

static CUDA_MEMSET_NODE_PARAMS fill_of(const struct cudaMemsetParams *params)
{
	return (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)params->dst,
					 .pitch = params->pitch,
					 .value = params->value,
					 .elementSize = params->elementSize,
					 .width = params->width,
					 .height = params->height};
}

EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
						struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.GraphMemsetNodeGetParams(node, &own);
	if (!res)
		*params = (struct cudaMemsetParams){.dst = (void *)own.dst,
						    .pitch = own.pitch,
						    .value = own.value,
						    .elementSize =
							    own.elementSize,
						    .width = own.width,
						    .height = own.height};
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphMemsetNodeSetParams(
	cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	own = fill_of(params);
	return runtime_result(
		driver_legacy.GraphMemsetNodeSetParams(node, &own));
}

EXPORT cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				 const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS own;
	CUcontext ctx = NULL;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (res)
		return runtime_result(res);
	own = fill_of(params);
	return runtime_result(driver_legacy.GraphExecMemsetNodeSetParams(
		exec, node, &own, ctx));
}

/* The structures have the driver's form. */
_Static_assert(sizeof(struct cudaMemAllocNodeParams) ==
		       sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
	       "the driver's and the runtime's structures differ");

EXPORT cudaError_t cudaGraphAddMemAllocNode(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, struct cudaMemAllocNodeParams *params)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphAddMemAllocNode(
			node, graph, before, count,
			(CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphMemAllocNodeGetParams(
	cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphMemAllocNodeGetParams(
			node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node,
					   cudaGraph_t graph,
					   const cudaGraphNode_t *before,
					   size_t count, void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphAddMemFreeNode(
			node, graph, before, count, (CUdeviceptr)ptr);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node,
						 void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphMemFreeNodeGetParams(node, ptr);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
						   cudaGraph_t *graph)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphChildGraphNodeGetGraph(node, graph);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphConditionalHandleCreate(
	cudaGraphConditionalHandle *handle, cudaGraph_t graph,
	unsigned int value, unsigned int flags)
{
	CUcontext ctx = NULL;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (!res)
		res = driver_legacy.GraphConditionalHandleCreate(
			(CUgraphConditionalHandle *)handle, graph, ctx, value,
			flags);
	return runtime_result(res);
}
