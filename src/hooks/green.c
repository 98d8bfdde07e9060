/* Green contexts: parts of a device's processors, in the memory of its primary
 * context. An event of the primary one covers all of them; that of a green
 * one, which can be current and so is a context to us, covers it alone. */
#include "call.h"
#include "context.h"
#include "fence.h"
#include "giveback.h"
#include "hook.h"
#include "mem.h"
#include "work.h"

/* The primary context, which a green one has just retained, may never be
 * current: it is known from now on, so that waits cover its green ones. */
static void primary_note(CUdevice device)
{
	CUcontext primary;

	if (REAL_CALL(cuDevicePrimaryCtxRetain, &primary, device))
		return;
	context_note(primary, device, CONTEXT_PRIMARY);
	REAL_CALL(cuDevicePrimaryCtxRelease_v2, device);
}

EXPORT CUresult cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc desc,
				 CUdevice device, unsigned int flags)
{
	CUresult res;

	work_mixed();
	res = REAL_CALL(cuGreenCtxCreate, out, desc, device, flags);
	if (!res && mem_enabled())
		primary_note(device);
	return res;
}

/* Its memory is the primary context's and stays. What is idle of it would be
 * lost to us. */
EXPORT CUresult cuGreenCtxDestroy(CUgreenCtx green)
{
	struct context *context = NULL;
	CUcontext handle;
	CUresult res;

	if (mem_enabled() && !REAL_CALL(cuCtxFromGreenCtx, &handle, green)) {
		context = context_find(handle);
		if (context)
			context_drain(context);
		context = context_close(handle);
	}
	res = REAL_CALL(cuGreenCtxDestroy, green);
	context_settle(context, !res);
	return res;
}
