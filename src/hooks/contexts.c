/* Hooks of the calls that concern contexts. Each calls CUDA first, or first
 * notes what will be gone, and returns CUDA's own code. */
#include "call.h"
#include "order/capture.h"
#include "context/context.h"
#include "order/fence_sync.h"
#include "order/legacy.h"
#include "heap/context_leave.h"
#include "heap/reclaim.h"
#include "hook.h"
#include "mem/mem.h"
#include "primary.h"
#include "room_of.h"
#include "order/stream_order.h"
#include "order/stream_past.h"

static CUresult context_hook_created(CUresult res, CUcontext *out,
				     CUdevice device)
{
	context_invalidate();
	if (!res && mem_enabled())
		context_register(*out, device, CONTEXT_CREATED);
	return res;
}

EXPORT CUresult cuCtxCreate(CUcontext *out, unsigned int flags, CUdevice device)
{
	return context_hook_created(ROOM_CALL(cuCtxCreate, out, flags, device),
				    out, device);
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned int flags,
			       CUdevice device)
{
	return context_hook_created(
		ROOM_CALL(cuCtxCreate_v2, out, flags, device), out, device);
}

EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params,
			       int count, unsigned int flags, CUdevice device)
{
	return context_hook_created(
		ROOM_CALL(cuCtxCreate_v3, out, params, count, flags, device),
		out, device);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params,
			       unsigned int flags, CUdevice device)
{
	return context_hook_created(
		ROOM_CALL(cuCtxCreate_v4, out, params, flags, device), out,
		device);
}

/* Another context is current now. It is noted if its creation went unseen. */
static CUresult current_changed(CUresult res)
{
	context_invalidate();
	if (!res && mem_enabled())
		context_current();
	return res;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
	return current_changed(REAL_CALL(cuCtxSetCurrent, context));
}

EXPORT CUresult cuCtxPushCurrent(CUcontext context)
{
	return current_changed(REAL_CALL(cuCtxPushCurrent, context));
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	return current_changed(REAL_CALL(cuCtxPushCurrent_v2, context));
}

EXPORT CUresult cuCtxPopCurrent(CUcontext *out)
{
	return current_changed(REAL_CALL(cuCtxPopCurrent, out));
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
	return current_changed(REAL_CALL(cuCtxPopCurrent_v2, out));
}

EXPORT CUresult cuCtxSynchronize(void)
{
	struct context *context = mem_enabled() ? context_whole(NULL) : NULL;
	struct fence_sync sync = fence_sync_begin(context);
	uint64_t hits = stream_order_wait_begin();
	CUresult res = REAL_CALL(cuCtxSynchronize);

	if (!res)
		stream_order_wait_end_all(hits);
	fence_sync_end(&sync, res);
	if (!res)
		mem_waited();
	return res;
}

EXPORT CUresult cuCtxSynchronize_v2(CUcontext handle)
{
	struct context *context = NULL;
	struct fence_sync sync;
	uint64_t hits;
	CUresult res;

	if (mem_enabled())
		context = context_whole(handle);
	sync = fence_sync_begin(context);
	hits = stream_order_wait_begin();
	res = REAL_CALL(cuCtxSynchronize_v2, handle);
	if (!res)
		stream_order_wait_end_all(hits);
	fence_sync_end(&sync, res);
	if (!res)
		mem_waited();
	return res;
}

static CUresult stream_wait(__typeof__(cuStreamSynchronize) *real,
			    CUstream stream, bool per_thread)
{
	uint64_t hits = stream_order_wait_begin();
	struct stream_past past;
	CUresult res;

	legacy_settle_for(stream, per_thread);
	stream_past_take(&past, stream, per_thread);
	res = real ? real(stream) : CUDA_ERROR_NOT_FOUND;
	if (res)
		return res;
	stream_order_wait_end(stream, per_thread, hits);
	stream_past_is_over(&past);
	mem_waited();
	return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
	return stream_wait(REAL_ENTRY(cuStreamSynchronize), stream, false);
}

EXPORT CUresult cuStreamSynchronize_ptsz(CUstream stream)
{
	return stream_wait(REAL_ENTRY(cuStreamSynchronize_ptsz), stream, true);
}

EXPORT CUresult cuStreamQuery(CUstream stream)
{
	legacy_settle_for(stream, false);
	return REAL_CALL(cuStreamQuery, stream);
}

EXPORT CUresult cuStreamQuery_ptsz(CUstream stream)
{
	legacy_settle_for(stream, true);
	return REAL_CALL(cuStreamQuery_ptsz, stream);
}

static struct context *end_begin(CUcontext handle)
{
	struct context *context;

	if (!mem_enabled())
		return NULL;
	context = context_find(handle);
	if (context && !fence_leave(context))
		reclaim_context(context);
	return context_end_begin(handle);
}

/* Whether the driver no longer knows the context. Also true if the driver can't
 * be made to tell, as memory that may be gone must not be handed out. */
static bool is_gone(CUcontext handle)
{
	CUresult res = CUDA_SUCCESS;
	unsigned int version;

	for (int i = 0; i < ASKS_MAX; i++) {
		res = REAL_CALL(cuCtxGetApiVersion, handle, &version);
		if (!res || res == CUDA_ERROR_INVALID_CONTEXT ||
		    res == CUDA_ERROR_CONTEXT_IS_DESTROYED)
			break;
	}
	return res;
}

/* sure: a call that succeeded has ended the context. Otherwise the driver is
 * asked: even a call that ended the context may have returned the error of
 * earlier work. */
static CUresult end_finish(struct context *context, CUresult res, bool sure)
{
	context_invalidate();
	if (context)
		context_end_finish(context,
				   (!res && sure) || is_gone(context->handle));
	return res;
}

EXPORT CUresult cuCtxDestroy(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDestroy, handle), true);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDestroy_v2, handle), true);
}

/* Not sure to end the context, which may have been attached to before. */
EXPORT CUresult cuCtxDetach(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDetach, handle), false);
}
