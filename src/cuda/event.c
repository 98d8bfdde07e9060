/* Events of whole contexts: what fences are made of. */
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

bool backing_stream_captures(CUstream stream)
{
	const struct real_driver *real = real_driver();
	CUstreamCaptureStatus status;

	return real->cuStreamIsCapturing &&
	       !real->cuStreamIsCapturing(stream, &status) &&
	       status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
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
