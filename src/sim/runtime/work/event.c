#include "work.h"

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.EventRecord(event, stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
					    cudaStream_t stream,
					    unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.EventRecordWithFlags(event, stream, flags);
	return runtime_result(res);
}
