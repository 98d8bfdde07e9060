#include "backing.h"
#include "real.h"

/* Makes a context current for a call of our own, in a mode in which that
 * call does not invalidate a capture that another thread has begun. */
struct visit {
	CUcontext target, before;
	CUstreamCaptureMode mode;
};

static void mode_exchange(CUstreamCaptureMode *mode)
{
	const struct real_driver *real = real_driver();

	if (real->cuThreadExchangeStreamCaptureMode)
		real->cuThreadExchangeStreamCaptureMode(mode);
}

static CUresult visit_begin(struct visit *visit, CUcontext target)
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

static void visit_end(struct visit *visit)
{
	CUcontext popped;

	mode_exchange(&visit->mode);
	if (visit->before != visit->target)
		real_driver()->cuCtxPopCurrent_v2(&popped);
}

int backing_take(size_t span, uint64_t *addr)
{
	CUdeviceptr ptr;
	CUresult res = real_driver()->cuMemAlloc_v2(&ptr, span);

	if (!res)
		*addr = ptr;
	return (int)res;
}

int backing_give(CUcontext context, uint64_t addr)
{
	struct visit visit;
	CUresult res = visit_begin(&visit, context);

	if (res)
		return (int)res;
	res = real_driver()->cuMemFree_v2(addr);
	visit_end(&visit);
	return (int)res;
}

int backing_wait(CUcontext context)
{
	struct visit visit;
	CUresult res = visit_begin(&visit, context);

	if (res)
		return (int)res;
	res = real_driver()->cuCtxSynchronize();
	visit_end(&visit);
	return (int)res;
}
