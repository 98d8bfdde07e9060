#include "context_scope.h"

#include "backing.h"

void mode_exchange(CUstreamCaptureMode *mode)
{
	const struct real_driver *real = real_driver();

	if (real->cuThreadExchangeStreamCaptureMode)
		real->cuThreadExchangeStreamCaptureMode(mode);
}

CUresult visit_begin(struct visit *visit, CUcontext target)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	visit->target = target;
	visit->before = NULL;
	visit->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	res = real->cuCtxGetCurrent(&visit->before);
	if (res)
		return res;
	if (visit->before != target) {
		res = real->cuCtxPushCurrent_v2(target);
		if (res)
			return res;
	}
	mode_exchange(&visit->mode);
	return CUDA_SUCCESS;
}

void visit_end(struct visit *visit)
{
	CUcontext popped;

	mode_exchange(&visit->mode);
	if (visit->before != visit->target)
		real_driver()->cuCtxPopCurrent_v2(&popped);
}

int backing_context_device(CUcontext context, int *ordinal)
{
	struct visit visit;
	CUresult res = visit_begin(&visit, context);

	if (res)
		return (int)res;
	res = real_driver()->cuCtxGetDevice(ordinal);
	visit_end(&visit);
	return (int)res;
}
