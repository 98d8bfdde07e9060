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
