#include "runtime.h"

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream,
					     unsigned int flags)
{
	int res = stream ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.StreamCreate(stream, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
						unsigned int flags,
						int priority)
{
	int res = stream ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.StreamCreateWithPriority(stream, flags,
							     priority);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.StreamDestroy(stream);
	return runtime_result(res);
}
