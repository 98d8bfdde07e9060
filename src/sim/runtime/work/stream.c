#include "work.h"

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamSynchronize(stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamQuery(stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				       unsigned int flags)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamWaitEvent(stream, event, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream,
					 cudaStreamCallback_t callback,
					 void *data, unsigned int flags)
{
	/* The types differ in the status's enumeration only, and those two
	 * share their numbers. */
	CUstreamCallback own = (CUstreamCallback)(void (*)(void))callback;
	int res = callback ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = work_driver.StreamAddCallback(stream, own, data, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream,
				      cudaHostFn_t function, void *data)
{
	int res = function ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = work_driver.LaunchHostFunc(stream, function, data);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamGetFlags(stream, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamGetPriority(stream, priority);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamGetId(stream, id);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamGetDevice(stream, device);
	return runtime_result(res);
}
