/* Events of whole contexts: what fences are made of. */
#include <stdatomic.h>

#include "backing.h"
#include "real.h"
#include "context_scope.h"

bool backing_has_fences(void)
{
	const struct real_driver *real = real_driver();

	return real->cuCtxRecordEvent && real->cuCtxWaitEvent &&
	       real->cuEventCreate && real->cuEventDestroy_v2 &&
	       real->cuEventSynchronize && real->cuEventQuery;
}

bool backing_is_since(int version)
{
	const struct real_driver *real = real_driver();
	int its;

	return real && real->cuDriverGetVersion &&
	       !real->cuDriverGetVersion(&its) && its >= version;
}

bool backing_is_known(void)
{
	const struct real_driver *real = real_driver();
	int version;

	return real->cuDriverGetVersion &&
	       !real->cuDriverGetVersion(&version) && version <= CUDA_VERSION;
}

int backing_event_open(CUcontext context, CUevent *event)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	res = real_driver()->cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
	context_scope_end(&scope);
	return (int)res;
}

void backing_event_close(CUevent event)
{
	real_driver()->cuEventDestroy_v2(event);
}

int backing_record(CUcontext context, CUevent event)
{
	return (int)real_driver()->cuCtxRecordEvent(context, event);
}

int backing_wait_event(CUcontext context, CUevent event)
{
	return (int)real_driver()->cuCtxWaitEvent(context, event);
}

int backing_event_wait(CUevent event)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUresult res;

	mode_exchange(&mode);
	res = real_driver()->cuEventSynchronize(event);
	mode_exchange(&mode);
	return (int)res;
}

int backing_event_query(CUevent event)
{
	return (int)real_driver()->cuEventQuery(event);
}

bool backing_stream_is_idle(CUstream stream)
{
	const struct real_driver *real = real_driver();

	return real->cuStreamQuery && !real->cuStreamQuery(stream);
}

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
int backing_legacy_mark(CUevent _Atomic *mark)
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

/* The errors of which cuda.h says that any further CUDA work will return the
 * same error, or that the process must be relaunched. */
bool backing_is_lost(int res)
{
	switch (res) {
	case CUDA_ERROR_CONTAINED:
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_TENSOR_MEMORY_LEAK:
	case CUDA_ERROR_MPS_CLIENT_TERMINATED:
	case CUDA_ERROR_EXTERNAL_DEVICE:
	case CUDA_ERROR_ECC_UNCORRECTABLE:
		return true;
	default:
		return false;
	}
}

/* Any other error may come from earlier work, although the call has done what
 * it was to do; the documents say so of most calls. */
bool backing_is_refused(int res)
{
	switch (res) {
	case CUDA_ERROR_OUT_OF_MEMORY:
	case CUDA_ERROR_NOT_READY:
	case CUDA_ERROR_NOT_PERMITTED:
	case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
	case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
	case CUDA_ERROR_STREAM_CAPTURE_MERGE:
	case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
	case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
	case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
	case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
	case CUDA_ERROR_CAPTURED_EVENT:
	case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
		return true;
	default:
		return false;
	}
}
