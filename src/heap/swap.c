#include <pthread.h>
#include <stdlib.h>

#include "idle_limit.h"
#include "gate/gate.h"
#include "common/pool_list.h"
#include "noted.h"
#include "reclaim.h"
#include "pools.h"
#include "swap.h"
#include "stats/counter.h"

struct swap {
	struct device *device;
	int choice;
	const struct config *config;
	struct pool *fresh; /* one for each heap, linked by next */
	bool failed;
	size_t idle_bytes;
};

/* A heap that has no pool yet opens one of the new choice at its first
 * request. */
static bool swap_concerns(const struct swap *swap, const struct heap *heap)
{
	return heap->device == swap->device && heap->pools;
}

static void swap_prepare(struct heap *heap, void *arg)
{
	struct swap *swap = arg;
	struct pool *pool;

	if (!swap_concerns(swap, heap) || swap->failed)
		return;
	pool = pool_new(swap->choice, swap->config);
	swap->failed = !pool;
	if (!pool)
		return;
	pool->next = swap->fresh;
	swap->fresh = pool;
}

static void swap_publish(struct heap *heap, void *arg)
{
	struct swap *swap = arg;
	struct pool *pool = swap->fresh;

	if (!swap_concerns(swap, heap))
		return;
	if (pool)
		swap->fresh = pool->next;
	else /* the heap's first request came in between */
		pool = pool_new(swap->choice, swap->config);
	swap->idle_bytes += pools_swap(heap, pool);
}

int device_choice(const struct device *device, int choice)
{
	return device_is_host(device) ? pool_choice_pinned(choice) : choice;
}

static const char *swap_error(const struct swap *swap)
{
	if (!swap->failed)
		return NULL;
	return choice_serving(swap->choice) == swap->choice
		       ? "no memory for a new pool"
		       : "the pool is switched off, as it has answered wrongly";
}

bool device_swap(struct device *device, int choice, const struct config *config,
		 struct swap_report *report)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct swap swap = {
		.device = device,
		.choice = choice_serving(device_choice(device, choice)),
		.config = config};
	struct pool *pool;

	pthread_mutex_lock(&lock); /* a later choice has to be the last one */
	heaps_each(swap_prepare, &swap);
	if (!swap.failed) {
		report->before = atomic_exchange(&device->choice, swap.choice);
		report->after = swap.choice;
		heaps_each(swap_publish, &swap);
	}
	pthread_mutex_unlock(&lock);
	while ((pool = swap.fresh)) {
		swap.fresh = pool->next;
		pool_close(pool);
	}
	report->error = swap_error(&swap);
	report->idle_bytes = swap.idle_bytes;
	report->retired_bytes = counter_get(device, COUNTER_retired_bytes);
	if (!swap.failed)
		noted_swap(device, swap.choice);
	reclaim_request(device);
	return !swap.failed;
}

static void limit_visit(struct heap *heap, void *unused)
{
	(void)unused;
	if (heap != &heap->context->heap)
		return;
	pools_trim(heap, idle_limit_past(heap->device));
}

static bool any_is_used(void)
{
	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_at(i)->used)
			return true;
	return false;
}

/* As the options are read for the first time, the caller may be in the loader.
 * A thread that holds the lock of the table of contexts may want the loader's,
 * so that lock is not taken then; there is nothing to find yet. */
void devices_limit(const struct idle_limit *limit)
{
	idle_limit_set(limit);
	if (!any_is_used())
		return;
	gate_recompute(NULL); /* caches may hold less now */
	heaps_each(limit_visit, NULL);
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->used)
			reclaim_request(device_at(i));
}

struct trim {
	struct device *device;
	size_t bytes;
};

static void trim_visit(struct heap *heap, void *arg)
{
	struct trim *trim = arg;

	if (heap->device == trim->device)
		trim->bytes += pools_trim(heap, SIZE_MAX);
}

size_t device_trim(struct device *device)
{
	struct trim trim = {device, 0};

	heaps_each(trim_visit, &trim);
	if (trim.bytes)
		counter_add(device, COUNTER_trims, 1);
	if (trim.bytes)
		noted_trim(device, trim.bytes);
	reclaim_request(device);
	return trim.bytes;
}
