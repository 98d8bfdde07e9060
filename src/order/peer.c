/* Which contexts may use a device's memory besides its first one. */
#include <stdatomic.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "capture.h"
#include "context/context.h"
#include "fence.h"

_Static_assert(DEVICE_MAX <= 64, "a bit of context->joined for each device");

/* Makes the later work of a handle's context wait for the last fence of another
 * context. If that fails, as in a capture, the host waits. */
static void context_join(struct context *context, struct CUctx_st *handle)
{
	struct CUevent_st *event = context->fence;
	int res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

	/* A fence that is being made now finds that it does not cover all
	 * contexts. */
	if (!event || !context_use(context))
		return;
	if (capture_block()) {
		res = backing_wait_event(handle, event);
		capture_unblock();
	}
	if (res)
		res = backing_event_wait(event);
	context_unuse(context);
	device_check(context->device, res);
}

void fence_attach(struct device *device, struct context *other)
{
	struct context *list[CONTEXTS_MAX];
	int count = contexts_using(device, list, CONTEXTS_MAX);

	for (int i = 0; i < count; i++)
		if (list[i] != other)
			context_join(list[i], other->handle);
}

/* No document says that the part inherits what the whole context waits for. */
void fence_attach_part(const struct context *whole, struct CUctx_st *part)
{
	struct context *list[CONTEXTS_MAX];
	bool uses;
	int count;

	for (int d = 0; d < DEVICE_MAX; d++) {
		count = contexts_using(device_at(d), list, CONTEXTS_MAX);
		uses = false;
		for (int i = 0; i < count; i++)
			uses |= list[i] == whole;
		for (int i = 0; i < count && uses; i++)
			context_join(list[i], part);
	}
}

void peer_share(struct device *device)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (!device || device == device_at(i))
			atomic_store(&device_at(i)->shared, true);
	gate_recompute(device);
}

void peer_admit(struct device *device, struct context *peer)
{
	uint64_t bit = (uint64_t)1 << device_ordinal(device);

	if (device == peer->device || peer->joined & bit)
		return;
	atomic_fetch_or(&peer->peer_of, bit);
	atomic_store(&device->has_peers, true);
	gate_recompute(device);
	fence_attach(device, peer);
	atomic_fetch_or(&peer->joined, bit);
}

/* All live contexts may touch the memory. A context that is made later is
 * joined when it does something itself. */
static void peer_touch_by_all(struct device *owner)
{
	struct context *list[CONTEXTS_MAX];
	int count = contexts_using(NULL, list, CONTEXTS_MAX);

	if (!owner->shared)
		peer_share(owner);
	for (int i = 0; i < count; i++)
		peer_admit(owner, list[i]);
}

void peer_admit_at(struct context *peer, uint64_t addr)
{
	int ordinal = backing_device_of(addr);

	if (ordinal < 0 || ordinal >= DEVICE_MAX)
		return;
	if (peer)
		peer_admit(device_at(ordinal), peer);
	else
		peer_touch_by_all(device_at(ordinal));
}

void peer_mingle(void)
{
	for (int i = 0; device_count() > 1 && i < DEVICE_MAX; i++)
		if (atomic_load(&device_at(i)->contexts))
			peer_touch_by_all(device_at(i));
}
