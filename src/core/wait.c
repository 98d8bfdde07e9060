#include <cuda.h>

#include "backing.h"
#include "capture.h"
#include "context.h"
#include "epoch.h"
#include "fence.h"
#include "wait.h"

enum { CONTEXTS_MAX = 512 }; /* in one wait */

/* A context that went away behind our back has no work left. */
static int wait_result(struct device *device, int res)
{
	if (res == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
	    res == CUDA_ERROR_INVALID_CONTEXT)
		return CUDA_SUCCESS;
	return device_check(device, res);
}

/* Waits by an event, which a capture that begins meanwhile survives. */
static int event_wait(struct context *context)
{
	struct CUevent_st *event;
	int res = backing_event_open(context->handle, &event);

	if (res)
		return res;
	if (quiet_begin()) {
		res = backing_record(context->handle, event);
		quiet_end();
	} else {
		res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (!res)
		res = backing_event_wait(event);
	backing_event_close(event);
	return res;
}

static int context_wait(struct context *context)
{
	int res = CUDA_ERROR_NOT_SUPPORTED;

	if (!context_use(context))
		return CUDA_SUCCESS; /* its work has ended with it */
	if (backing_has_fences())
		res = event_wait(context);
	/* An old driver: a begin of a capture has to wait until this is over.
	 */
	if (res && !backing_is_lost(res) && quiet_begin()) {
		res = backing_wait(context->handle);
		quiet_end();
	}
	context_unuse(context);
	return res;
}

/* Holds all contexts whose work may use the device's memory; as context_hold.
 * -1 also where one is just ending, as it can't be waited for. */
static int users_hold(struct device *device, struct context **list)
{
	bool all = device->shared || device_is_host(device);
	int count = context_hold(all ? NULL : device, list, CONTEXTS_MAX);

	if (count < 0 ||
	    count == (all ? context_count() : atomic_load(&device->contexts)))
		return count;
	context_release(list, count);
	return -1;
}

/* The epoch ends first: who comes later, and then frees, is in the next. */
bool device_wait(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	uint64_t bytes, safe = epoch_end(device, &bytes);
	int count = users_hold(device, list), res = CUDA_SUCCESS;

	for (int i = 0; i < count && !res; i++)
		res = wait_result(list[i]->device, context_wait(list[i]));
	if (count > 0)
		context_release(list, count);
	if (count <= 0 || res) {
		counter_add(device, COUNTER_quarantined_bytes, bytes);
		return false;
	}
	epoch_publish(device, safe);
	counter_add(device, COUNTER_syncs, 1);
	return true;
}
