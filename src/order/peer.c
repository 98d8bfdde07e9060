/* Which contexts may use a device's memory besides its first one. */
#include <stdatomic.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "capture.h"
#include "context/context.h"
#include "fence.h"

_Static_assert(DEVICE_MAX <= 64, "a bit of context->joined for each device");

/* If another thread's fence records the event meanwhile, the count is too low,
 * never too high. */
void fence_note_over(struct context *context)
{
	uint64_t fences = atomic_load(&context->fences);
	int res = CUDA_ERROR_NOT_READY;

	if (context->fences_over == fences ||
	    context_try(context) != CONTEXT_ALIVE)
		return;
	if (capture_block()) {
		res = backing_event_query(context->fence);
		capture_unblock();
	}
	context_unuse(context);
	if (!device_check(context->device, res))
		atomic_store(&context->fences_over, fences);
}

/* Makes the later work of a handle's context wait for the last fence of another
 * context. If that fails, as in a capture, the host waits. If that context is
 * just ending, waits until that is over. */
static void context_join(struct context *context, struct CUctx_st *handle)
{
	struct CUevent_st *event = context->fence;
	int res = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

	/* A fence that is being made now finds that it does not cover all
	 * contexts. */
	if (!event || context->fences_over == context->fences ||
	    !context_use(context))
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

/* As context_join, for all contexts that may use the memory of the device. */
static void contexts_join(const struct device *device, struct CUctx_st *handle)
{
	struct context_walk walk = {0};
	struct context *context;

	while ((context = context_next_using(&walk, device)))
		if (context->handle != handle)
			context_join(context, handle);
}

void fence_attach(struct device *device, struct context *other)
{
	contexts_join(device, other->handle);
}

/* No document says that the part inherits what the whole context waits for. */
void fence_attach_part(const struct context *whole, struct CUctx_st *part)
{
	for (int d = 0; d < DEVICE_MAX; d++)
		if (context_uses(whole, device_at(d)))
			contexts_join(device_at(d), part);
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
	struct context_walk walk = {0};
	struct context *context;

	if (!owner->shared)
		peer_share(owner);
	while ((context = context_next_using(&walk, NULL)))
		peer_admit(owner, context);
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
