#include "garbage.h"

#include <pthread.h>
#include <stdatomic.h>

#include "context/context.h"
#include "cuda/backing.h"
#include "limit.h"
#include "owed.h"
#include "order/capture.h"
#include "placed.h"
#include "reclaim.h"
#include "stats/counter.h"

static _Atomic unsigned int threshold; /* percent */

void garbage_threshold_set(unsigned int percent)
{
	atomic_store(&threshold, percent);
}

/* What the threshold is a part of; 0 if that is not known. */
static size_t allowed_bytes(const struct device *device)
{
	size_t limit = limit_get(LIMIT_POOL), total;

	if (!limit)
		limit = limit_get(LIMIT_HARD);
	if (limit)
		return limit;
	return backing_device_bytes(device_ordinal(device), &total) ? 0 : total;
}

/* The bytes that are reserved past the threshold. */
static size_t bytes_past(struct device *device, unsigned int percent)
{
	size_t allowed = allowed_bytes(device);
	size_t most = allowed / 100 * percent + allowed % 100 * percent / 100;
	uint64_t reserved = counter_get(device, COUNTER_reserved_bytes);

	return allowed && reserved > most ? reserved - most : 0;
}

void garbage_collect(struct pool *pool)
{
	struct context *context = pool->heap->context;
	struct device *device = pool->heap->device;
	unsigned int percent = atomic_load(&threshold);
	size_t past, bytes;

	/* In a capture nothing goes back but where memory is short. */
	if (!percent || !pool->view.ops->part_aged || device_is_host(device) ||
	    capture_any() || waits_are_forbidden())
		return;
	past = bytes_past(device, percent);
	if (!past)
		return;
	pthread_mutex_lock(&context->lock);
	bytes = context->dead ? 0 : placed_trim_aged(pool, past);
	pthread_mutex_unlock(&context->lock);
	if (bytes)
		reclaim_now(device, bytes);
}
