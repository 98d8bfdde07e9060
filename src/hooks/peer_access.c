/* Access of a context to the memory of a context of another device. */
#include "call.h"
#include "context/context.h"
#include "heap/mempool_share.h"
#include "heap/region_driver.h"
#include "hook.h"
#include "mem/mem.h"
#include "mem/room.h"
#include "order/fence.h"

/* Lets a device use the virtual memory of a context, as CUDA does with what is
 * its own. */
static CUresult regions_show(struct context *owner, const struct device *device)
{
	struct room room = {0};
	int res;

	room_device(&room, device_ordinal(owner->device));
	do
		res = regions_allow(owner, device_ordinal(device));
	while (room_make(&room, res));
	return (CUresult)res;
}

/* The current context may use the peer's memory from now on. This is noted
 * before the call, as work of the context may follow it at once. */
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	struct context *current = mem_enabled() ? context_current() : NULL;
	struct context *owner = current ? context_find(peer) : NULL;
	CUresult res, shown = CUDA_SUCCESS;
	bool enabled;

	if (owner)
		peer_admit(owner->device, current);
	else if (current)
		for (int i = 0; i < DEVICE_MAX; i++)
			peer_admit(device_at(i), current);
	res = ROOM_CALL(cuCtxEnablePeerAccess, peer, flags);
	enabled = res == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	if (owner && (!res || enabled))
		shown = regions_show(owner, current->device);
	if (shown) {
		if (!res)
			REAL_CALL(cuCtxDisablePeerAccess, peer);
		return shown;
	}
	if (owner && (!res || enabled) && peer_asked(current, owner, enabled))
		return CUDA_SUCCESS;
	return res;
}

EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	struct context *current = mem_enabled() ? context_current() : NULL;
	const struct context *owner = current ? context_find(peer) : NULL;
	bool was;

	if (owner && peer_returned(current, owner, &was))
		return was ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	return REAL_CALL(cuCtxDisablePeerAccess, peer);
}
