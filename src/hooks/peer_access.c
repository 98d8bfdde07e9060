/* Access of a context to the memory of a context of another device. */
#include "call.h"
#include "context/context.h"
#include "heap/mempool_share.h"
#include "heap/region_driver.h"
#include "hook.h"
#include "mem/mem.h"
#include "order/fence.h"

/* The current context may use the peer's memory from now on. This is noted
 * before the call, as work of the context may follow it at once. */
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	struct context *current = mem_enabled() ? context_current() : NULL;
	struct context *owner = current ? context_find(peer) : NULL;
	CUresult res;
	bool enabled;

	if (owner)
		peer_admit(owner->device, current);
	else if (current)
		for (int i = 0; i < DEVICE_MAX; i++)
			peer_admit(device_at(i), current);
	res = ROOM_CALL(cuCtxEnablePeerAccess, peer, flags);
	enabled = res == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	if (owner && (!res || enabled))
		regions_allow(owner, device_ordinal(current->device));
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
