/* Marks in streams: events that their own stream waits for. */
#include <stdatomic.h>

#include "backing.h"
#include "context_scope.h"
#include "real.h"

/* Makes `to` wait for all that was queued in `from` so far. The context is
 * current. */
static CUresult stream_joins(CUstream to, CUstream from)
{
	const struct real_driver *real = real_driver();
	CUevent event;
	CUresult res = real->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);

	if (res)
		return res;
	res = real->cuEventRecord(event, from);
	if (!res)
		res = real->cuStreamWaitEvent(to, event, 0);
	real->cuEventDestroy_v2(event);
	return res;
}

/* A stream may not notice an event of its own. */
static CUresult stream_bar(CUstream stream)
{
	const struct real_driver *real = real_driver();
	CUstreamCaptureStatus status;
	CUstream way;
	CUresult res = real->cuStreamIsCapturing(stream, &status);

	if (res || status != CU_STREAM_CAPTURE_STATUS_NONE)
		return res;
	res = real->cuStreamCreate(&way, CU_STREAM_NON_BLOCKING);
	if (res)
		return res;
	res = stream_joins(way, stream);
	if (!res)
		res = stream_joins(stream, way);
	real->cuStreamDestroy_v2(way);
	return res;
}

int backing_stream_bar(CUcontext context, CUstream stream, bool per_thread)
{
	const struct real_driver *real = real_driver();
	struct context_scope scope;
	CUresult res;

	if (!real->cuStreamIsCapturing || !real->cuStreamCreate ||
	    !real->cuStreamDestroy_v2 || !real->cuStreamWaitEvent ||
	    !real->cuEventCreate || !real->cuEventRecord ||
	    !real->cuEventDestroy_v2)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!stream)
		stream = per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	res = context_scope_begin(&scope, context);
	if (res)
		return (int)res;
	res = stream_bar(stream);
	context_scope_end(&scope);
	return (int)res;
}

int backing_stream_mark(CUcontext context, CUstream stream, bool per_thread)
{
	const struct real_driver *real = real_driver();
	struct context_scope scope;
	CUstreamCaptureStatus status;
	CUresult res;

	if (!real->cuStreamIsCapturing || !real->cuStreamWaitEvent ||
	    !real->cuEventCreate || !real->cuEventRecord ||
	    !real->cuEventDestroy_v2)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!stream)
		stream = per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	res = context_scope_begin(&scope, context);
	if (res)
		return (int)res;
	res = real->cuStreamIsCapturing(stream, &status);
	if (!res && status != CU_STREAM_CAPTURE_STATUS_NONE)
		res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (!res)
		res = stream_joins(stream, stream);
	context_scope_end(&scope);
	return (int)res;
}

static CUresult event_open_relaxed(CUevent *event)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUresult res;

	mode_exchange(&mode);
	res = real_driver()->cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
	mode_exchange(&mode);
	return res;
}

/* CUDA's guide names the wait for an event as what puts the legacy stream and
 * those that wait for it in order ("Default Stream" in the programming guide).
 * It says nothing of the record. */
static CUresult legacy_passes(CUevent event)
{
	const struct real_driver *real = real_driver();
	CUresult res = real->cuEventRecord(event, CU_STREAM_LEGACY);

	return res ? res : real->cuStreamWaitEvent(CU_STREAM_LEGACY, event, 0);
}

/* The current context is another one of the same device: a part of it. */
static CUresult mark_once(void)
{
	CUevent event;
	CUresult res = event_open_relaxed(&event);

	if (res)
		return res;
	res = legacy_passes(event);
	backing_event_close(event);
	return res;
}

/* Two threads may make the event at once; one of them is kept. */
int backing_legacy_mark(struct CUevent_st *_Atomic *mark)
{
	const struct real_driver *real = real_driver();
	CUevent event = atomic_load(mark), none = NULL;
	CUresult res = CUDA_SUCCESS;

	if (!real->cuEventCreate || !real->cuEventRecord ||
	    !real->cuStreamWaitEvent)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!event)
		res = event_open_relaxed(&event);
	if (res)
		return (int)res;
	if (!atomic_compare_exchange_strong(mark, &none, event) &&
	    none != event) {
		backing_event_close(event);
		event = none;
	}
	res = legacy_passes(event);
	return (int)(res == CUDA_ERROR_INVALID_HANDLE ? mark_once() : res);
}

int backing_legacy_mark_of(CUcontext context, struct CUevent_st *_Atomic *mark)
{
	struct context_scope scope;
	int res = (int)context_scope_begin(&scope, context);

	if (res)
		return res;
	res = backing_legacy_mark(mark);
	context_scope_end(&scope);
	return res;
}
