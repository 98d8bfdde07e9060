/* What the nodes of kernels do, and their attributes. */
#include "binary.h"
#include "runtime.h"

/* A kernel that the program has not registered is told by its handle. */
EXPORT cudaError_t cudaGraphKernelNodeGetParams(
	cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
	CUDA_KERNEL_NODE_PARAMS own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;
	CUkernel kernel;
	const void *host;

	if (!res)
		res = driver_legacy.GraphKernelNodeGetParams(node, &own);
	if (res)
		return runtime_result(res);
	kernel = own.func ? (CUkernel)own.func : own.kern;
	host = kernel_host(kernel);
	*params = (struct cudaKernelNodeParams){
		.func = host ? (void *)host : kernel,
		.gridDim = {own.gridDimX, own.gridDimY, own.gridDimZ},
		.blockDim = {own.blockDimX, own.blockDimY, own.blockDimZ},
		.sharedMemBytes = own.sharedMemBytes,
		.kernelParams = own.kernelParams,
		.extra = own.extra};
	return cudaSuccess;
}

/* Attributes and their values have the driver's form. */
_Static_assert(sizeof(cudaKernelNodeAttrValue) == sizeof(CUkernelNodeAttrValue),
	       "the driver's and the runtime's structures differ");

EXPORT cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attr,
				cudaKernelNodeAttrValue *value)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphKernelNodeGetAttribute(
			node, (CUkernelNodeAttrID)attr,
			(CUkernelNodeAttrValue *)value);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attr,
				const cudaKernelNodeAttrValue *value)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphKernelNodeSetAttribute(
			node, (CUkernelNodeAttrID)attr,
			(const CUkernelNodeAttrValue *)value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
						     cudaGraphNode_t from)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphKernelNodeCopyAttributes(to, from);
	return runtime_result(res);
}
