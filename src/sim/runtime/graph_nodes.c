#include "binary.h"
#include "runtime.h"

EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node,
					 cudaGraph_t graph,
					 const cudaGraphNode_t *before,
					 size_t count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphAddEmptyNode(node, graph, before,
						      count);
	return runtime_result(res);
}

static int kernel_params(const struct cudaKernelNodeParams *params,
			 CUDA_KERNEL_NODE_PARAMS *own)
{
	CUkernel kernel = NULL;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = kernel_find(params->func, &kernel);
	if (res)
		return res;
	*own = (CUDA_KERNEL_NODE_PARAMS){.gridDimX = params->gridDim.x,
					 .gridDimY = params->gridDim.y,
					 .gridDimZ = params->gridDim.z,
					 .blockDimX = params->blockDim.x,
					 .blockDimY = params->blockDim.y,
					 .blockDimZ = params->blockDim.z,
					 .sharedMemBytes =
						 params->sharedMemBytes,
					 .kernelParams = params->kernelParams,
					 .extra = params->extra,
					 .kern = kernel};
	return 0;
}

EXPORT cudaError_t cudaGraphAddKernelNode(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS own;
	int res = kernel_params(params, &own);

	if (!res)
		res = driver_legacy.GraphAddKernelNode(node, graph, before,
						       count, &own);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphKernelNodeSetParams(
	cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS own;
	int res = kernel_params(params, &own);

	if (!res)
		res = driver_legacy.GraphKernelNodeSetParams(node, &own);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				 const struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS own;
	int res = kernel_params(params, &own);

	if (!res)
		res = driver_legacy.GraphExecKernelNodeSetParams(exec, node,
								 &own);
	return runtime_result(res);
}

/* The node runs in the calling thread's context. */
EXPORT cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node,
					  cudaGraph_t graph,
					  const cudaGraphNode_t *before,
					  size_t count,
					  const struct cudaMemsetParams *params)
{
	CUDA_MEMSET_NODE_PARAMS own;
	CUcontext ctx = NULL;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (res)
		return runtime_result(res);
	own = (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)params->dst,
					.pitch = params->pitch,
					.value = params->value,
					.elementSize = params->elementSize,
					.width = params->width,
					.height = params->height};
	res = driver_legacy.GraphAddMemsetNode(node, graph, before, count, &own,
					       ctx);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node,
					cudaGraph_t graph,
					const cudaGraphNode_t *before,
					size_t count,
					const struct cudaHostNodeParams *params)
{
	CUDA_HOST_NODE_PARAMS own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	own = (CUDA_HOST_NODE_PARAMS){.fn = params->fn,
				      .userData = params->userData};
	res = driver_legacy.GraphAddHostNode(node, graph, before, count, &own);
	return runtime_result(res);
}

/* The structures of host functions have the driver's form. */
_Static_assert(sizeof(struct cudaHostNodeParams) ==
		       sizeof(CUDA_HOST_NODE_PARAMS),
	       "the driver's and the runtime's structures differ");

EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
					      struct cudaHostNodeParams *params)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphHostNodeGetParams(
			node, (CUDA_HOST_NODE_PARAMS *)params);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphHostNodeSetParams(
	cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphHostNodeSetParams(
			node, (const CUDA_HOST_NODE_PARAMS *)params);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
			       const struct cudaHostNodeParams *params)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphExecHostNodeSetParams(
			exec, node, (const CUDA_HOST_NODE_PARAMS *)params);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node,
					      cudaGraph_t graph,
					      const cudaGraphNode_t *before,
					      size_t count, cudaGraph_t child)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphAddChildGraphNode(node, graph, before,
							   count, child);
	return runtime_result(res);
}
