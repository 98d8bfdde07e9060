#include "fence_sync.h"

#include <stdatomic.h>

#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "stats/counter.h"

/* Whether a wait for the context covers all that may use the memory. */
static bool sync_covers(const struct device *device)
{
	if (device_is_host(device))
		return context_count() == 1;
	return fence_level() != REUSE_NONE && context_is_alone(device);
}

static void sync_begin(struct fence_sync_part *part, struct device *device)
{
	part->device = device;
	if (sync_covers(device) &&
	    (counter_get(device, COUNTER_quarantined_bytes) ||
	     device->has_streams))
		part->safe = epoch_end(device, &part->bytes);
}

/* Another context may have come meanwhile, which was not waited for. */
static void sync_end(const struct fence_sync_part *part, int res)
{
	if (!part->safe)
		return;
	if (!res && sync_covers(part->device))
		epoch_over(part->device, part->safe);
	else
		counter_add(part->device, COUNTER_quarantined_bytes,
			    part->bytes);
}

struct fence_sync fence_sync_begin(struct context *context)
{
	struct fence_sync sync = {0};

	if (!context)
		return sync;
	sync.context = context;
	sync.over = epoch_next(context->device);
	sync.over_host = epoch_next(device_at(DEVICE_HOST));
	sync_begin(&sync.device, context->device);
	sync_begin(&sync.host, device_at(DEVICE_HOST));
	return sync;
}

void fence_sync_end(const struct fence_sync *sync, int res)
{
	if (!sync->context)
		return;
	if (!device_check(sync->context->device, res)) {
		epoch_raise(&sync->context->over, sync->over);
		epoch_raise(&sync->context->over_host, sync->over_host);
	}
	sync_end(&sync->device, res);
	sync_end(&sync->host, res);
}

void fence_context_new(struct context *context)
{
	epoch_raise(&context->over, epoch_next(context->device));
	epoch_raise(&context->over_host, epoch_next(device_at(DEVICE_HOST)));
}
