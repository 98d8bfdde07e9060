/* What tells us of contexts. Each calls CUDA first, or notes what will be
 * gone, and returns CUDA's own code. */
#include <pthread.h>

#include "call.h"
#include "capture.h"
#include "context.h"
#include "fence.h"
#include "giveback.h"
#include "hook.h"
#include "mem.h"
#include "primary.h"
#include "room_of.h"
#include "work.h"

static CUresult created(CUresult res, CUcontext *out, CUdevice device)
{
	context_unsure();
	if (!res && mem_enabled())
		context_note(*out, device, CONTEXT_CREATED);
	return res;
}

EXPORT CUresult cuCtxCreate(CUcontext *out, unsigned int flags, CUdevice device)
{
	return created(ROOM_CALL(cuCtxCreate, out, flags, device), out, device);
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned int flags,
			       CUdevice device)
{
	return created(ROOM_CALL(cuCtxCreate_v2, out, flags, device), out,
		       device);
}

EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params,
			       int count, unsigned int flags, CUdevice device)
{
	return created(
		ROOM_CALL(cuCtxCreate_v3, out, params, count, flags, device),
		out, device);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params,
			       unsigned int flags, CUdevice device)
{
	return created(ROOM_CALL(cuCtxCreate_v4, out, params, flags, device),
		       out, device);
}

/* Another context has become current: one that was not seen being made is
 * noted. */
static CUresult current_changed(CUresult res)
{
	context_unsure();
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

/* The current context may use the peer's memory: noted first, as its work may
 * follow at once. */
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	struct context *current = mem_enabled() ? context_current() : NULL;
	struct context *owner = current ? context_find(peer) : NULL;

	if (current) {
		fence_share(owner ? owner->device : NULL);
		for (int i = 0; i < DEVICE_MAX; i++)
			if (!owner || owner->device == device_at(i))
				fence_join(device_at(i), current);
	}
	return ROOM_CALL(cuCtxEnablePeerAccess, peer, flags);
}

EXPORT CUresult cuCtxSynchronize(void)
{
	struct context *context = mem_enabled() ? context_whole(NULL) : NULL;
	struct fence_sync sync = fence_sync_begin(context);
	uint64_t hits = work_wait_begin();
	CUresult res = REAL_CALL(cuCtxSynchronize);

	if (!res)
		work_wait_end_all(hits);
	fence_sync_end(&sync, res);
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
	hits = work_wait_begin();
	res = REAL_CALL(cuCtxSynchronize_v2, handle);
	if (!res)
		work_wait_end_all(hits);
	fence_sync_end(&sync, res);
	return res;
}

static CUresult stream_wait(__typeof__(cuStreamSynchronize) *real,
			    CUstream stream, bool per_thread)
{
	uint64_t hits = work_wait_begin();
	CUresult res = real ? real(stream) : CUDA_ERROR_NOT_FOUND;

	if (!res)
		work_wait_end(stream, per_thread, hits);
	return res;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
	return stream_wait(REAL_ENTRY(cuStreamSynchronize), stream, false);
}

EXPORT CUresult cuStreamSynchronize_ptsz(CUstream stream)
{
	return stream_wait(REAL_ENTRY(cuStreamSynchronize_ptsz), stream, true);
}

static struct context *end_begin(CUcontext handle)
{
	struct context *context;

	if (!mem_enabled())
		return NULL;
	context = context_find(handle);
	if (context && !fence_leave(context->device))
		context_drain(context);
	return context_close(handle);
}

static CUresult end_finish(struct context *context, CUresult res)
{
	context_unsure();
	context_settle(context, !res);
	return res;
}

EXPORT CUresult cuCtxDestroy(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDestroy, handle));
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDestroy_v2, handle));
}

/* Taken as the end, though the context may have been attached to before: its
 * live blocks are then foreign, and go to the driver when they are freed. */
EXPORT CUresult cuCtxDetach(CUcontext handle)
{
	struct context *context = end_begin(handle);

	return end_finish(context, REAL_CALL(cuCtxDetach, handle));
}

/* Held across the driver's calls on primary contexts, which it serialises as
 * well: between a release that ends one and the look at what is left, a retain
 * would make it anew at the same handle. */
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

void primary_enter(bool enabled)
{
	if (enabled)
		pthread_mutex_lock(&primary_lock);
}

void primary_leave(bool enabled)
{
	if (enabled)
		pthread_mutex_unlock(&primary_lock);
}

static CUresult primary_retain(CUcontext *out, CUdevice device)
{
	bool enabled = mem_enabled();
	CUresult res;

	primary_enter(enabled);
	res = REAL_CALL(cuDevicePrimaryCtxRetain, out, device);
	if (!res && enabled)
		context_note(*out, device, CONTEXT_PRIMARY);
	primary_leave(enabled);
	return res;
}

/* Room is made without that lock: a context that is being ended, of which
 * nothing can be given back meanwhile, may wait for it. */
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	CUresult res = primary_retain(out, device);
	struct room room = {0};

	if (room_is_short(res)) {
		room_device(&room, device);
		while (room_make(&room, (int)res))
			res = primary_retain(out, device);
	}
	return res;
}

static bool primary_is_active(CUdevice device)
{
	unsigned int flags;
	int active = 1;

	if (REAL_CALL(cuDevicePrimaryCtxGetState, device, &flags, &active))
		return true;
	return active;
}

/* The runtime's reset is under way on this thread, and closes the context. */
static __thread bool resetting;

/* What is idle may go with the context; if it does not, nothing is lost. Where
 * work on it can't be waited for, as a stream captures or another context is
 * just ending, it goes back to the driver first, which waits. */
static void primary_leaves(CUdevice device)
{
	struct context *context;

	if (device < 0 || device >= DEVICE_MAX || resetting ||
	    fence_leave(device_at(device)))
		return;
	context = context_primary(device);
	if (context)
		context_drain(context);
}

struct primary_end primary_end_begin(CUdevice device)
{
	struct primary_end end = {device, mem_enabled(), NULL};

	if (end.enabled)
		primary_leaves(device);
	primary_enter(end.enabled);
	if (end.enabled)
		end.context = context_close_primary(device);
	return end;
}

CUresult primary_end_finish(const struct primary_end *end, CUresult res,
			    bool sure)
{
	context_unsure();
	context_settle(end->context,
		       !res && (sure || !primary_is_active(end->device)));
	primary_leave(end->enabled);
	return res;
}

typedef CUresult primary_call(CUdevice device);

/* The last release ends it, and others leave it as it is; a reset always
 * ends it. */
static CUresult primary_end(primary_call *call, CUdevice device, bool reset)
{
	struct primary_end end;

	if (!call)
		return CUDA_ERROR_NOT_FOUND;
	end = primary_end_begin(device);
	return primary_end_finish(&end, call(device), reset);
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxRelease), device,
			   false);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxRelease_v2), device,
			   false);
}

EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxReset), device, true);
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxReset_v2), device,
			   true);
}

/* Should a runtime reset its device by a door of its own. */
EXPORT cudaError_t cudaDeviceReset(void)
{
	const struct real_runtime *real = real_runtime();
	struct context *context = mem_enabled() ? context_current() : NULL;
	cudaError_t res;

	if (!real || !real->cudaDeviceReset)
		return cudaErrorInitializationError;
	if (context) {
		primary_leaves(device_ordinal(context->device));
		context =
			context_close_primary(device_ordinal(context->device));
	}
	resetting = true;
	res = real->cudaDeviceReset();
	resetting = false;
	context_unsure();
	context_settle(context, !res);
	return res;
}
