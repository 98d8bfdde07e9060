/* Green contexts: parts of a device's processors. */
#include "call.h"
#include "order/calls.h"
#include "context/context.h"
#include "order/fence.h"
#include "order/legacy.h"
#include "hook.h"
#include "common/log.h"
#include "mem/mem.h"
#include "primary.h"
#include "room_of.h"
#include "order/stream_order.h"
#include "order/streams.h"

/* Notes the primary context, which a green one has just retained: it may never
 * be current itself. */
static void green_hook_register(CUgreenCtx green, CUdevice device)
{
	CUcontext primary, handle;

	if (REAL_CALL(cuDevicePrimaryCtxRetain, &primary, device))
		return;
	context_register(primary, device, CONTEXT_PRIMARY);
	primary_has_green(device);
	if (!REAL_CALL(cuCtxFromGreenCtx, &handle, green) &&
	    !context_register_green(handle, device))
		log_warn("device %d: no memory to note a green context",
			 device);
	REAL_CALL(cuDevicePrimaryCtxRelease_v2, device);
}

static CUresult green_hook_create(CUgreenCtx *out, CUdevResourceDesc desc,
				  CUdevice device, unsigned int flags)
{
	bool enabled = mem_enabled();
	CUresult res;

	primary_enter(device, enabled);
	res = REAL_CALL(cuGreenCtxCreate, out, desc, device, flags);
	if (!res && enabled && out)
		green_hook_register(*out, device);
	primary_leave(device, enabled);
	return res;
}

/* The green context's work may use what the primary context's may. The lock of
 * primary contexts is not held: nobody has the handle yet, and other contexts
 * may be ending. */
static void green_hook_join(CUgreenCtx green, CUdevice device)
{
	const struct context *whole = context_primary(device);
	CUcontext handle;

	if (whole && !REAL_CALL(cuCtxFromGreenCtx, &handle, green))
		fence_attach_part(whole, handle);
}

/* Makes room without holding the lock of primary contexts; see primary.c. */
EXPORT CUresult cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc desc,
				 CUdevice device, unsigned int flags)
{
	struct room room = {0};
	CUresult res;

	/* Its default stream is another one with the same handle. */
	stream_order_opaque();
	stream_part_made();
	/* Its work is not always within an event's reach. */
	legacy_actions_unseen();
	legacy_settle();
	res = green_hook_create(out, desc, device, flags);
	if (room_is_short(res)) {
		room_device(&room, device);
		while (room_make(&room, (int)res))
			res = green_hook_create(out, desc, device, flags);
	}
	if (!res && out && mem_enabled())
		green_hook_join(*out, device);
	return res;
}

/* This may have been the last context that retained the primary one. */
EXPORT CUresult cuGreenCtxDestroy(CUgreenCtx green)
{
	struct context *whole = NULL;
	struct primary_end end;
	CUcontext handle;
	CUresult res;

	if (mem_enabled() && !REAL_CALL(cuCtxFromGreenCtx, &handle, green))
		whole = context_find(handle);
	if (!whole)
		return REAL_CALL(cuGreenCtxDestroy, green);
	end = primary_end_begin(device_ordinal(whole->device),
				PRIMARY_GREEN_ENDS);
	res = REAL_CALL(cuGreenCtxDestroy, green);
	if (!res)
		context_forget_green(handle);
	return primary_end_finish(&end, res);
}
