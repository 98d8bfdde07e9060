#include "work.h"

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.GraphLaunch(exec, stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.GraphUpload(exec, stream);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
			       cudaGraphInstantiateParams *params)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS own;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	own = (CUDA_GRAPH_INSTANTIATE_PARAMS){
		.flags = params->flags, .hUploadStream = params->uploadStream};
	res = work_driver.GraphInstantiateWithParams(exec, graph, &own);
	params->errNode_out = own.hErrNode_out;
	params->result_out = (cudaGraphInstantiateResult)own.result_out;
	return runtime_result(res);
}
