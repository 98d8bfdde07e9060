/* Who may use a device's memory besides its own one context. */
#include <stdatomic.h>

#include <cuda.h>

#include "backing.h"
#include "cache.h"
#include "capture.h"
#include "context.h"
#include "fence.h"

enum { CONTEXTS_MAX = 512 }; /* of one device */

_Static_assert(DEVICE_MAX <= 64, "a bit of context->joined for each device");

/* The later work of `other` waits for the last fence of a context; the host
 * does, where a capture forbids the device to. */
static void context_join(struct context *context, struct context *other)
{
	struct CUevent_st *event;
	int res = CUDA_SUCCESS;
	bool granted;

	if (!context_use(context))
		return;
	granted = quiet_begin();
	event = context->fence;
	if (event && granted)
		res = backing_gate(other->handle, event);
	if (granted)
		quiet_end();
	if (event && (!granted || res))
		res = backing_event_wait(event);
	context_unuse(context);
	device_check(context->device, res);
}

void fence_join(struct device *device, struct context *other)
{
	struct context *list[CONTEXTS_MAX];
	int count = context_hold(device, list, CONTEXTS_MAX);

	for (int i = 0; i < count; i++)
		if (list[i] != other)
			context_join(list[i], other);
	if (count > 0)
		context_release(list, count);
}

void fence_share(struct device *device)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (!device || device == device_at(i))
			atomic_store(&device_at(i)->shared, true);
	caches_review(device);
}

void fence_visit(struct context *visitor, uint64_t addr)
{
	struct device *owner;
	int ordinal;

	if (device_count() < 2)
		return;
	ordinal = backing_device_of(addr);
	if (ordinal < 0 || ordinal >= DEVICE_MAX)
		return;
	owner = device_at(ordinal);
	if (!visitor) /* a context of parts of some device */
		fence_share(owner);
	if (!visitor || owner == visitor->device ||
	    visitor->joined >> ordinal & 1)
		return;
	fence_share(owner);
	fence_join(owner, visitor);
	atomic_fetch_or(&visitor->joined, (uint64_t)1 << ordinal);
}
