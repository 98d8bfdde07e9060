#include <stdlib.h>

#include "idle_limit.h"
#include "gate/gate.h"
#include "reclaim.h"
#include "pools.h"
#include "swap.h"
#include "stats/counter.h"

struct swap {
	struct device *device;
	int row;
	const struct config *config;
	struct pool *fresh; /* one for each store, linked by next */
	bool failed;
	size_t idle_bytes;
};

/* A store without a pool yet opens the new choice at its first request. */
static bool swap_concerns(const struct swap *swap, const struct store *store)
{
	return store->device == swap->device && store->pools;
}

static void swap_prepare(struct store *store, void *arg)
{
	struct swap *swap = arg;
	struct pool *pool;

	if (!swap_concerns(swap, store) || swap->failed)
		return;
	pool = pool_new(swap->row, swap->config);
	swap->failed = !pool;
	if (!pool)
		return;
	pool->next = swap->fresh;
	swap->fresh = pool;
}

static void swap_publish(struct store *store, void *arg)
{
	struct swap *swap = arg;
	struct pool *pool = swap->fresh;

	if (!swap_concerns(swap, store))
		return;
	if (!pool) { /* the store's first request came in between */
		pool = pool_new(swap->row, swap->config);
		swap->failed |= !pool;
	} else {
		swap->fresh = pool->next;
	}
	if (pool)
		swap->idle_bytes += pools_swap(store, pool);
}

bool device_swap(struct device *device, int row, const struct config *config,
		 struct swap_report *report)
{
	struct swap swap = {.device = device, .row = row, .config = config};
	struct pool *pool;

	stores_each(swap_prepare, &swap);
	if (!swap.failed) {
		report->before = atomic_exchange(&device->choice, row);
		report->after = row;
		stores_each(swap_publish, &swap);
	}
	while ((pool = swap.fresh)) {
		swap.fresh = pool->next;
		pool_close(pool);
	}
	report->idle_bytes = swap.idle_bytes;
	report->retired_bytes = counter_get(device, COUNTER_retired_bytes);
	device_announce(device);
	return !swap.failed;
}

static void limit_visit(struct store *store, void *unused)
{
	(void)unused;
	if (store != &store->context->store)
		return;
	pools_trim(store, bound_past(store->device));
}

void devices_limit(const struct idle_limit *limit)
{
	bound_set(limit);
	gate_recompute(NULL); /* they may hold less */
	stores_each(limit_visit, NULL);
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->used)
			device_announce(device_at(i));
}

struct trim {
	struct device *device;
	size_t bytes;
};

static void trim_visit(struct store *store, void *arg)
{
	struct trim *trim = arg;

	if (store->device == trim->device)
		trim->bytes += pools_trim(store, SIZE_MAX);
}

size_t device_trim(struct device *device)
{
	struct trim trim = {device, 0};

	stores_each(trim_visit, &trim);
	if (trim.bytes)
		counter_add(device, COUNTER_trims, 1);
	device_announce(device);
	return trim.bytes;
}
