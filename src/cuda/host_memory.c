#include "backing.h"
#include "real.h"
#include "context_scope.h"
#include "record/ring.h"

int backing_alloc_host(size_t span, unsigned int flags, bool capturing,
		       uint64_t *addr)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	void *ptr;
	CUresult res;

	if (capturing)
		mode_exchange(&mode);
	record_did_add(MNM_RECORD_DRIVER);
	res = real_driver()->cuMemHostAlloc(&ptr, span, flags);
	if (capturing)
		mode_exchange(&mode);
	if (!res)
		*addr = (uint64_t)ptr;
	return (int)res;
}

int backing_free_host(CUcontext context, uint64_t addr)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	record_did_add(MNM_RECORD_DRIVER);
	res = real_driver()->cuMemFreeHost((void *)addr);
	context_scope_end(&scope);
	return (int)res;
}
