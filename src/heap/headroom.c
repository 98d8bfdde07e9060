#include "headroom.h"

#include "context/context.h"
#include "cuda/backing.h"
#include "order/capture.h"
#include "order/fence.h"
#include "owed.h"
#include "pools/pool.h"
#include "reclaim.h"
#include "stats/counter.h"

static size_t percent(size_t bytes, unsigned int part)
{
	return bytes / 100 * part + bytes % 100 * part / 100;
}

/* Whether less than the headroom is free once span bytes more are taken. Not if
 * these are more than there is: then nothing helps. */
static bool is_used(struct device *device, unsigned int headroom, size_t span)
{
	size_t total, free;

	if (backing_device_bytes(device_ordinal(device), &total) ||
	    span > total || device_check(device, backing_free_bytes(&free)))
		return false;
	return free < span || free - span < percent(total, headroom);
}

void headroom_keep(const struct pool *pool, size_t span)
{
	struct device *device = pool->heap->device;

	/* No document says that a capture allows the question. */
	if (!pool->view.headroom || device_is_host(device) || capture_any() ||
	    !counter_get(device, COUNTER_idle_bytes) ||
	    !is_used(device, pool->view.headroom, span))
		return;
	if (waits_are_forbidden())
		owed_try(device, SIZE_MAX);
	else
		reclaim_now(device, SIZE_MAX);
}
