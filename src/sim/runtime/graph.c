#include "runtime.h"

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphCreate(graph, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphDestroy(graph);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphClone(clone, graph);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
				     size_t *count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphGetNodes(graph, nodes, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
					 cudaGraphNode_t *nodes, size_t *count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphGetRootNodes(graph, nodes, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
					enum cudaGraphNodeType *type)
{
	CUgraphNodeType own = CU_GRAPH_NODE_TYPE_EMPTY;
	int res = type ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.GraphNodeGetType(node, &own);
	if (!res)
		*type = (enum cudaGraphNodeType)own;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
						cudaGraphNode_t *nodes,
						cudaGraphEdgeData *data,
						size_t *count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphNodeGetDependencies(
			node, nodes, (CUgraphEdgeData *)data, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
						  cudaGraphNode_t *nodes,
						  cudaGraphEdgeData *data,
						  size_t *count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphNodeGetDependentNodes(
			node, nodes, (CUgraphEdgeData *)data, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
				     cudaGraphNode_t *to,
				     cudaGraphEdgeData *data, size_t *count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphGetEdges(
			graph, from, to, (CUgraphEdgeData *)data, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
					       const cudaGraphNode_t *from,
					       const cudaGraphNode_t *to,
					       const cudaGraphEdgeData *data,
					       size_t count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphRemoveDependencies(
			graph, from, to, (const CUgraphEdgeData *)data, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
					    const cudaGraphNode_t *from,
					    const cudaGraphNode_t *to,
					    const cudaGraphEdgeData *data,
					    size_t count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphAddDependencies(
			graph, from, to, (const CUgraphEdgeData *)data, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
						 cudaGraph_t graph,
						 unsigned long long flags)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphInstantiateWithFlags(exec, graph,
							      flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec,
					cudaGraph_t graph,
					unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec,
					 unsigned long long *flags)
{
	cuuint64_t own = 0;
	int res = flags ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.GraphExecGetFlags(exec, &own);
	if (!res)
		*flags = own;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				       cudaGraphExecUpdateResultInfo *info)
{
	CUgraphExecUpdateResultInfo own = {0};
	int res = info ? runtime_enter() : cudaErrorInvalidValue;

	if (res)
		return runtime_result(res);
	res = driver_legacy.GraphExecUpdate(exec, graph, &own);
	info->result = (enum cudaGraphExecUpdateResult)own.result;
	info->errorNode = own.errorNode;
	info->errorFromNode = own.errorFromNode;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphExecDestroy(exec);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetGraphMemAttribute(
			device, (CUgraphMem_attribute)attr, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceSetGraphMemAttribute(
			device, (CUgraphMem_attribute)attr, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGraphMemTrim(int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGraphMemTrim(device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.GraphDestroyNode(node);
	return runtime_result(res);
}
