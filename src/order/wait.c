#include <cuda.h>

#include "cuda/backing.h"
#include "capture.h"
#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "fence_fail.h"
#include "wait.h"
#include "stats/counter.h"

/* A context that has gone without our notice has no work left. */
static int wait_result(struct device *device, int res)
{
	if (res == CUDA_ERROR_CONTEXT_IS_DESTROYED ||
	    res == CUDA_ERROR_INVALID_CONTEXT)
		return CUDA_SUCCESS;
	return device_check(device, res);
}

/* Waits by an event, because a capture that begins meanwhile survives that. */
static int event_wait(struct context *context)
{
	struct CUevent_st *event;
	int res = backing_event_open(context->handle, &event);

	if (res)
		return res;
	if (capture_block()) {
		res = backing_record(context->handle, event);
		capture_unblock();
	} else {
		res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (!res)
		res = backing_event_wait(event);
	backing_event_close(event);
	return res;
}

/* The last resort: the start of a capture waits for this wait, too. */
static int quiet_wait(struct context *context)
{
	int res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

	if (capture_block()) {
		res = backing_wait(context->handle);
		capture_unblock();
	}
	return res;
}

static int context_wait(struct context *context)
{
	int res;

	switch (context_try(context)) {
	case CONTEXT_DEAD:
		return CUDA_SUCCESS; /* its work has ended with it */
	case CONTEXT_ENDING:
		return CUDA_ERROR_NOT_READY;
	default:
		break;
	}
	res = backing_has_fences() ? event_wait(context)
				   : CUDA_ERROR_NOT_SUPPORTED;
	if (res && !backing_is_lost(res) && !capture_any())
		res = backing_free_wait(context->handle);
	if (res && !backing_is_lost(res))
		res = quiet_wait(context);
	context_unuse(context);
	return res;
}

static int fence_wait(struct context *context)
{
	struct CUevent_st *event = context->fence;
	enum context_state state = event ? context_try(context) : CONTEXT_DEAD;
	int res;

	if (state != CONTEXT_ALIVE)
		return state == CONTEXT_DEAD ? CUDA_SUCCESS
					     : CUDA_ERROR_NOT_READY;
	res = backing_event_wait(event);
	context_unuse(context);
	return res;
}

/* The epoch of a device, or the host, before which a context's work is over. */
static uint64_t over_of(const struct context *context,
			const struct device *device)
{
	if (device_is_host(device))
		return context->over_host;
	return context->device == device ? context->over : 0;
}

/* Waits for all contexts whose work may use what was freed until that epoch,
 * and that can be waited for, even if a wait fails. */
static bool wait_each(const struct device *device, const struct context *but,
		      uint64_t epoch, int (*wait)(struct context *context))
{
	struct context_walk walk = {0};
	struct context *context;
	bool done = true;

	while ((context = context_next_using(&walk, device)))
		if (context != but && over_of(context, device) <= epoch &&
		    wait_result(context->device, wait(context)))
			done = false;
	return done;
}

bool others_wait(const struct device *device, const struct context *but,
		 uint64_t epoch)
{
	return wait_each(device, but, epoch, context_wait);
}

bool fences_wait(const struct device *device, const struct context *but,
		 uint64_t epoch)
{
	return wait_each(device, but, epoch, fence_wait);
}

uint64_t device_over(const struct device *device)
{
	uint64_t all = atomic_load(&device->over), over = UINT64_MAX;
	struct context_walk walk = {0};
	struct context *at;

	while ((at = context_next_using(&walk, device)))
		if (over_of(at, device) < over)
			over = over_of(at, device);
	return over != UINT64_MAX && over > all ? over : all;
}

/* The epoch ends first: a context that comes later, and then frees, is in the
 * next one. */
bool device_wait(struct device *device)
{
	uint64_t bytes, safe = epoch_end(device, &bytes);
	struct context_walk walk = {0};

	if (!context_next_using(&walk, device) ||
	    !wait_each(device, NULL, UINT64_MAX, context_wait)) {
		counter_add(device, COUNTER_quarantined_bytes, bytes);
		return false;
	}
	epoch_over(device, safe);
	counter_add(device, COUNTER_syncs, 1);
	fence_waited(device);
	return true;
}
