#include "context_scope.h"

#include "backing.h"

void mode_exchange(CUstreamCaptureMode *mode)
{
	const struct real_driver *real = real_driver();

	if (real->cuThreadExchangeStreamCaptureMode)
		real->cuThreadExchangeStreamCaptureMode(mode);
}

CUresult context_scope_begin(struct context_scope *scope, CUcontext target)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	scope->target = target;
	scope->before = NULL;
	scope->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	res = real->cuCtxGetCurrent(&scope->before);
	if (res)
		return res;
	if (scope->before != target) {
		res = real->cuCtxPushCurrent_v2(target);
		if (res)
			return res;
	}
	mode_exchange(&scope->mode);
	return CUDA_SUCCESS;
}

void context_scope_end(struct context_scope *scope)
{
	CUcontext popped;

	mode_exchange(&scope->mode);
	if (scope->before != scope->target)
		real_driver()->cuCtxPopCurrent_v2(&popped);
}

int backing_context_device(CUcontext context, int *ordinal)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	res = real_driver()->cuCtxGetDevice(ordinal);
	context_scope_end(&scope);
	return (int)res;
}
