/* Primary contexts: who retains one, and what may end it. */
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

/* Held across the driver's calls on a device's primary context, which it
 * serialises as well: between a release that ends one and the look at what is
 * left, a retain would make it anew at the same handle. Such a call may make
 * others in its turn, as where a tool is in its midst. */
static struct primary {
	pthread_mutex_t lock;
	/* Under lock, as far as seen. */
	int retains; /* that are not released; a reset leaves them */
	int greens;  /* green contexts, which retain it as well */
} primaries[DEVICE_MAX] = {
	[0 ... DEVICE_MAX -
	 1] = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}};

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

/* Where that can't be known it is taken for ended: what was idle is nobody's
 * then, but memory that is gone is not handed out. */
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
		reclaim_context(context);
}

/* Closes the context of a device, whose lock is held then, once nobody uses it:
 * who does may wait for its work, and retains are not to wait for that. */
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

/* A call that others outlast is not the end of anything, and nothing waits for
 * it, nor it for anything. Where entries are called that we don't see, so may
 * releases be. With the lock held then; false: without. */
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

/* A call that ended it may have returned the error of earlier work; but where
 * the context is only taken for the primary one, that is no sign. */
static bool has_ended(const struct primary_end *end,
		      const struct context *context, CUresult res)
{
	if (res && context && context->kind != CONTEXT_PRIMARY)
		return false;
	return (!res && end->call == PRIMARY_RESET) ||
	       !primary_is_active(end->device);
}

/* What holds the primary context of a device from now on, which has just ended,
 * or not. With an error, too, it may be released. The green ones end with it. A
 * release of one that a reset had ended before is the end of nothing. */
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

/* What ended it went unseen before. */
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

/* The last release ends it, and others leave it as it is; a reset always
 * ends it. */
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

/* Should a runtime reset its device by an entry point of its own. */
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
