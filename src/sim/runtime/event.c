#include "runtime.h"

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event,
					    unsigned int flags)
{
	int res = event ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.EventCreate(event, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.EventQuery(event);
	return runtime_result(res);
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.EventSynchronize(event);
	return runtime_result(res);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.EventDestroy(event);
	return runtime_result(res);
}

EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start,
					cudaEvent_t end)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.EventElapsedTime(ms, start, end);
	return runtime_result(res);
}
