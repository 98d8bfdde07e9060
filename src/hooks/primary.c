/* Primary contexts: what retains one, and what may end it. */
#include <pthread.h>

#include "call.h"
#include "context/context.h"
#include "order/fence.h"
#include "heap/context_leave.h"
#include "heap/reclaim.h"
#include "hook.h"
#include "mem/mem.h"
#include "primary.h"
#include "room_of.h"

/* The lock is held across the driver's calls on a device's primary context,
 * which the driver serialises as well. Otherwise a retain could come between a
 * release that ends the context and the look at what is left, and make a new
 * context at the same handle. The lock is recursive, as such a call may make
 * others in turn, for example where a tool intercepts it. */
static struct primary {
	pthread_mutex_t lock;
	/* Under lock; as far as we have seen the calls. */
	int retains; /* not released yet; a reset keeps them */
	int greens;  /* green contexts, which retain it as well */
} primaries[DEVICE_MAX] = {
	[0 ... DEVICE_MAX -
	 1] = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}};

/* NULL if CUDA will refuse the call, or if mnm is not enabled. */
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

void primary_has_green(CUdevice device)
{
	struct primary *primary = primary_of(device, true);

	if (primary)
		primary->greens++;
}

static CUresult primary_retain(CUcontext *out, CUdevice device)
{
	bool enabled = mem_enabled();
	struct primary *primary = primary_of(device, enabled);
	CUresult res;

	primary_enter(device, enabled);
	res = REAL_CALL(cuDevicePrimaryCtxRetain, out, device);
	if (!res && primary) {
		context_register(*out, device, CONTEXT_PRIMARY);
		primary->retains++;
	}
	primary_leave(device, enabled);
	return res;
}

/* Makes room without holding the lock: a context that is being ended may wait
 * for it, and meanwhile nothing of that context can be given back. */
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

/* Returns false if that can't be known: what was idle is then nobody's, but
 * memory that is gone is not handed out. */
static bool primary_is_active(CUdevice device)
{
	unsigned int flags;
	int active;

	for (int i = 0; i < ASKS_MAX; i++)
		if (!REAL_CALL(cuDevicePrimaryCtxGetState, device, &flags,
			       &active))
			return active;
	return false;
}

/* The runtime's reset is under way on this thread; its hook closes the context.
 */
static __thread bool resetting;

/* Idle memory may go with the context; if the context stays, nothing is lost.
 * If the work that may use this memory can't be waited for, as a stream
 * captures or another context is just ending, the memory goes back to the
 * driver first, which waits. */
static void primary_leaves(CUdevice device)
{
	struct context *context;

	context = resetting ? NULL : context_primary(device);
	if (context && !fence_leave(context))
		reclaim_context(context);
}

/* Closes the primary context of a device once nobody uses it, and returns with
 * the device's lock held. The lock is not held during the wait: a thread that
 * uses the context may wait for its work, and retains must not wait for
 * that. */
static struct context *close_entered(CUdevice device)
{
	struct context *context;

	primary_enter(device, true);
	while (!context_end_begin_primary(device, &context)) {
		primary_leave(device, true);
		context_unused(context);
		primary_enter(device, true);
	}
	return context;
}

/* Returns true, with the lock held, if others hold the context beyond this
 * call. The call ends nothing then: nothing waits for it, and it waits for
 * nothing. Returns false, without the lock, if this may be the last holder;
 * also if entries are called that we don't see, as those may release the
 * context. */
static bool outlast_begin(struct primary *primary)
{
	pthread_mutex_lock(&primary->lock);
	if (primary->retains + primary->greens > 1 && !context_is_opaque())
		return true;
	pthread_mutex_unlock(&primary->lock);
	return false;
}

struct primary_end primary_end_begin(CUdevice device, enum primary_call call)
{
	struct primary_end end = {.device = device, .call = call};
	struct primary *primary = primary_of(device, mem_enabled());

	end.enabled = primary;
	if (!primary)
		return end;
	end.outlasted = call != PRIMARY_RESET && outlast_begin(primary);
	if (end.outlasted)
		return end;
	primary_leaves(device);
	end.context = close_entered(device);
	return end;
}

/* A call that ended the context may have returned the error of earlier work, so
 * the driver is asked. But if the context is only taken for the primary one,
 * the driver's answer says nothing about it after an error. */
static bool has_ended(const struct primary_end *end,
		      const struct context *context, CUresult res)
{
	if (res && context && context->kind != CONTEXT_PRIMARY)
		return false;
	return (!res && end->call == PRIMARY_RESET) ||
	       !primary_is_active(end->device);
}

/* Counts what holds a device's primary context from now on; ended: it has just
 * ended. A call that failed may have released it as well. Its green contexts
 * end with it. If a reset had ended it before, a release ends nothing. */
static void primary_count(struct primary *primary, enum primary_call call,
			  bool ended)
{
	if (call == PRIMARY_RELEASE && primary->retains)
		primary->retains--;
	if (call == PRIMARY_GREEN_ENDS && primary->greens)
		primary->greens--;
	if (ended)
		primary->greens = 0;
	if (ended && call != PRIMARY_RESET)
		primary->retains = 0;
}

/* Closes a context that has ended although others seemed to hold it: what
 * released it went unseen. */
static struct context *close_late(CUdevice device)
{
	struct context *context;

	while (!context_end_begin_primary(device, &context))
		context_unused(context);
	return context;
}

CUresult primary_end_finish(const struct primary_end *end, CUresult res)
{
	struct context *context = end->context;
	bool ended;

	if (!end->enabled)
		return res;
	if (end->outlasted)
		context = context_primary(end->device);
	ended = has_ended(end, context, res);
	primary_count(&primaries[end->device], end->call, ended && context);
	if (end->outlasted)
		context = ended ? close_late(end->device) : NULL;
	context_invalidate();
	context_end_finish(context, ended);
	primary_leave(end->device, true);
	return res;
}

/* The last release ends the context, and the others leave it as it is; a reset
 * always ends it. */
static CUresult primary_end(CUresult (*call)(CUdevice device), CUdevice device,
			    enum primary_call kind)
{
	struct primary_end end;

	if (!call)
		return CUDA_ERROR_NOT_FOUND;
	end = primary_end_begin(device, kind);
	return primary_end_finish(&end, call(device));
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxRelease), device,
			   PRIMARY_RELEASE);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxRelease_v2), device,
			   PRIMARY_RELEASE);
}

EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxReset), device,
			   PRIMARY_RESET);
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	return primary_end(REAL_ENTRY(cuDevicePrimaryCtxReset_v2), device,
			   PRIMARY_RESET);
}

/* Hooked in case a runtime resets its device by a private entry point. */
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
	context_invalidate();
	context_end_finish(context, !res);
	return res;
}
