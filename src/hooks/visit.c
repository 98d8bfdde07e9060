#include "call.h"
#include "fence.h"
#include "mem.h"
#include "visit.h"

static struct context *stream_context(CUstream stream)
{
	CUcontext handle = NULL;

	if (!stream || stream == CU_STREAM_LEGACY ||
	    stream == CU_STREAM_PER_THREAD)
		return context_current();
	if (REAL_CALL(cuStreamGetCtx, stream, &handle))
		return NULL;
	return context_find(handle);
}

void visit_address(CUstream stream, CUdeviceptr addr)
{
	if (mem_enabled())
		fence_visit(stream_context(stream), addr);
}

void visit_everything(CUstream stream)
{
	struct context *visitor = mem_enabled() ? stream_context(stream) : NULL;

	if (!visitor)
		return;
	fence_share(NULL);
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i) != visitor->device)
			fence_join(device_at(i), visitor);
}
