/* Primary contexts: who retains one, and what may end it. */
#include <pthread.h>

#include "call.h"
#include "context.h"
#include "fence.h"
#include "giveback.h"
#include "hook.h"
#include "mem.h"
#include "primary.h"

/* Held across the driver's calls on a device's primary context, which it
 * serialises as well: between a release that ends one and the look at what is
 * left, a retain would make it anew at the same handle. */
static struct primary {
	pthread_mutex_t lock;
	int retains; /* at least so many are left; under lock */
} primaries[DEVICE_MAX] = {
	[0 ... DEVICE_MAX - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* NULL: a call that CUDA refuses, or of no concern. */
static struct primary *primary_of(CUdevice device, bool enabled)
{
	return enabled && device >= 0 && device < DEVICE_MAX
		       ? &primaries[device]
		       : NULL;
}

void primary_enter(CUdevice device, bool enabled)
{
	struct primary *primary = primary_of(device, enabled);

	if (primary)
		pthread_mutex_lock(&primary->lock);
}

void primary_leave(CUdevice device, bool enabled)
{
	struct primary *primary = primary_of(device, enabled);

	if (primary)
		pthread_mutex_unlock(&primary->lock);
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	bool enabled = mem_enabled();
	struct primary *primary = primary_of(device, enabled);
	CUresult res;

	primary_enter(device, enabled);
	res = REAL_CALL(cuDevicePrimaryCtxRetain, out, device);
	if (!res && primary) {
		context_note(*out, device, CONTEXT_PRIMARY);
		primary->retains++;
	}
	primary_leave(device, enabled);
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

	context = resetting ? NULL : context_primary(device);
	if (context && !fence_leave(context))
		context_drain(context);
}

/* Closes the context of a device, whose lock is held then, once nobody uses it:
 * who does may wait for its work, and retains are not to wait for that. */
static struct context *close_entered(CUdevice device)
{
	struct context *context;

	primary_enter(device, true);
	while (!context_close_primary(device, &context)) {
		primary_leave(device, true);
		context_unused(context);
		primary_enter(device, true);
	}
	return context;
}

struct primary_end primary_end_begin(CUdevice device)
{
	struct primary_end end = {device, false, NULL};

	if (!primary_of(device, mem_enabled()))
		return end;
	end.enabled = true;
	primary_leaves(device);
	end.context = close_entered(device);
	return end;
}

/* A call that ended it may have returned the error of earlier work; but where
 * the context is only taken for the primary one, that is no sign. */
static bool primary_ended(const struct primary_end *end, CUresult res,
			  bool sure)
{
	const struct context *context = end->context;

	if (res && context && context->kind != CONTEXT_PRIMARY)
		return false;
	return (!res && sure) || !primary_is_active(end->device);
}

CUresult primary_end_finish(const struct primary_end *end, CUresult res,
			    bool sure)
{
	struct primary *primary = primary_of(end->device, end->enabled);
	bool ended;

	if (!primary)
		return res;
	ended = primary_ended(end, res, sure);
	if (ended)
		primary->retains = 0;
	context_unsure();
	context_settle(end->context, ended);
	primary_leave(end->device, end->enabled);
	return res;
}

typedef CUresult primary_call(CUdevice device);

/* Under the device's lock. What ended it went unseen before. */
static void primary_is_gone(CUdevice device)
{
	struct context *context;

	primaries[device].retains = 0;
	while (!context_close_primary(device, &context))
		context_unused(context);
	context_unsure();
	context_settle(context, true);
}

/* A release that others outlast is not the end of anything, and nothing waits
 * for it, nor it for anything. False: it may be the last, and was not called.
 * Where entries are called that we don't see, so may releases be. */
static bool release_one(primary_call *call, CUdevice device, CUresult *res)
{
	struct primary *primary = primary_of(device, mem_enabled());
	bool outlasted;

	if (!primary)
		return false;
	pthread_mutex_lock(&primary->lock);
	outlasted = primary->retains > 1 && !context_is_doubted();
	if (outlasted) {
		*res = call(device);
		primary->retains -= !*res;
		if (!*res && !primary_is_active(device))
			primary_is_gone(device);
	}
	pthread_mutex_unlock(&primary->lock);
	return outlasted;
}

static CUresult primary_release(primary_call *call, CUdevice device)
{
	struct primary_end end;
	CUresult res;

	if (!call)
		return CUDA_ERROR_NOT_FOUND;
	if (release_one(call, device, &res))
		return res;
	end = primary_end_begin(device);
	res = call(device);
	if (!res && end.enabled && primaries[device].retains)
		primaries[device].retains--;
	return primary_end_finish(&end, res, false);
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return primary_release(REAL_ENTRY(cuDevicePrimaryCtxRelease), device);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	return primary_release(REAL_ENTRY(cuDevicePrimaryCtxRelease_v2),
			       device);
}

static CUresult primary_reset(primary_call *call, CUdevice device)
{
	struct primary_end end;

	if (!call)
		return CUDA_ERROR_NOT_FOUND;
	end = primary_end_begin(device);
	return primary_end_finish(&end, call(device), true);
}

EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	return primary_reset(REAL_ENTRY(cuDevicePrimaryCtxReset), device);
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	return primary_reset(REAL_ENTRY(cuDevicePrimaryCtxReset_v2), device);
}

/* Should a runtime reset its device by a door of its own. */
EXPORT cudaError_t cudaDeviceReset(void)
{
	const struct real_runtime *real = real_runtime();
	struct context *context = mem_enabled() ? context_current() : NULL;
	cudaError_t res;
	CUdevice device;

	if (!real || !real->cudaDeviceReset)
		return cudaErrorInitializationError;
	if (context) {
		device = device_ordinal(context->device);
		primary_leaves(device);
		context = close_entered(device);
		primary_leave(device, true);
	}
	resetting = true;
	res = real->cudaDeviceReset();
	resetting = false;
	context_unsure();
	context_settle(context, !res);
	return res;
}
