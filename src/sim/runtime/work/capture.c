#include "work.h"

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
					  enum cudaStreamCaptureMode mode)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamBeginCapture(stream,
						     (CUstreamCaptureMode)mode);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamEndCapture(stream, graph);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
					 enum cudaStreamCaptureStatus *status)
{
	CUstreamCaptureStatus own = CU_STREAM_CAPTURE_STATUS_NONE;
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamIsCapturing(stream, &own);
	if (!res)
		*status = (enum cudaStreamCaptureStatus)own;
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamBeginCaptureToGraph(
	cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *before,
	const cudaGraphEdgeData *data, size_t count,
	enum cudaStreamCaptureMode mode)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamBeginCaptureToGraph(
			stream, graph, before, (const CUgraphEdgeData *)data,
			count, (CUstreamCaptureMode)mode);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(
	cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph,
	const cudaGraphNode_t **before, const cudaGraphEdgeData **data,
	size_t *count)
{
	CUstreamCaptureStatus own = CU_STREAM_CAPTURE_STATUS_NONE;
	cuuint64_t own_id = 0;
	int res = status ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = work_driver.StreamGetCaptureInfo(
			stream, &own, &own_id, graph, before,
			(const CUgraphEdgeData **)data, count);
	if (res)
		return runtime_result(res);
	*status = (enum cudaStreamCaptureStatus)own;
	if (id && own == CU_STREAM_CAPTURE_STATUS_ACTIVE)
		*id = own_id;
	return cudaSuccess;
}

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *before,
	const cudaGraphEdgeData *data, size_t count, unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamUpdateCaptureDependencies(
			stream, before, (const CUgraphEdgeData *)data, count,
			flags);
	return runtime_result(res);
}
