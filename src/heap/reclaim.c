#include <pthread.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "block/block.h"
#include "acquire.h"
#include "idle_limit.h"
#include "limit.h"
#include "gate/gate.h"
#include "tcache/tcache.h"
#include "order/capture.h"
#include "order/fence.h"
#include "order/marks.h"
#include "owed.h"
#include "pages.h"
#include "reclaim.h"
#include "deferred_free.h"
#include "pools.h"
#include "region_driver.h"
#include "preload/thread.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

enum { TRIES_MAX = 1000 }; /* of one request */

/* Threads that are giving blocks back, by device. */
static pthread_mutex_t giving_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t giving_done = PTHREAD_COND_INITIALIZER;
static int giving[DEVICE_ALL];

/* How often this thread is one of them: the driver's free may lead to a call
 * that runs out of memory in turn, and must not wait for its own thread. */
static __thread int giving_here;

static void giving_add(const struct device *device, int change)
{
	pthread_mutex_lock(&giving_lock);
	giving[device_ordinal(device)] += change;
	giving_here += change;
	pthread_cond_broadcast(&giving_done);
	pthread_mutex_unlock(&giving_lock);
}

static void giving_wait(const struct device *device)
{
	pthread_mutex_lock(&giving_lock);
	while (!giving_here && giving[device_ordinal(device)])
		thread_await(&giving_done, &giving_lock, NULL);
	pthread_mutex_unlock(&giving_lock);
}

/* Takes the list of pending blocks, and `idle` bytes of idle ones. If a call is
 * under way that may end the context, waits for it where idle blocks are
 * wanted. Otherwise the pending blocks wait until that call is over
 * (context_end_finish), and none are taken. */
static struct block *pending_take(struct heap *heap, size_t idle)
{
	struct block *list;

	if (idle)
		context_enter(heap->context);
	else if (!context_enter_now(heap->context))
		return NULL;
	pools_trim(heap, idle);
	list = heap->pending;
	heap->pending = NULL;
	heap->context->busy += list != NULL;
	context_leave(heap->context);
	return list;
}

static int reclaim_give(const struct heap *heap, const struct block *block)
{
	if (block_is_region(block))
		return region_give(heap, block);
	return heap_free(heap, block_addr(block));
}

/* Makes a block that the driver has refused pending again. Returns false if it
 * can't be. */
static bool pending_keep(struct heap *heap, struct block *block)
{
	struct context *context = heap->context;
	bool kept;

	pthread_mutex_lock(&context->lock);
	kept = !context->dead &&
	       (block_is_region(block) || block_restore(block));
	if (kept) {
		block->next = heap->pending;
		heap->pending = block;
		atomic_store(&heap->device->refused, true);
	}
	pthread_mutex_unlock(&context->lock);
	return kept;
}

/* Gives a block back. Returns false if the driver has refused it, and it is
 * still pending. */
static bool pending_end(struct heap *heap, struct block *block)
{
	struct device *device = heap->device;
	int res;

	/* First, as the driver may hand the address out at once. */
	if (block_is_region(block) || block_remove(block)) {
		res = device_check(heap->context->device,
				   reclaim_give(heap, block));
		if (backing_is_refused(res) && pending_keep(heap, block))
			return false;
		if (!res && !block_is_region(block))
			counter_add(device, COUNTER_driver_frees, 1);
	}
	counter_sub(device, COUNTER_pending_bytes, block->span);
	counter_sub(device, COUNTER_idle_bytes, block->span);
	mempool_leave(block);
	device_unreserve(device, block->span);
	block_drop(block);
	return true;
}

/* Gives back the pending blocks, and `idle` bytes of idle ones. Returns the
 * bytes. */
static size_t pending_give(struct heap *heap, size_t idle)
{
	struct block *list = pending_take(heap, idle), *block;
	size_t bytes = 0, span;

	if (!list)
		return 0;
	while ((block = list)) {
		list = block->next;
		span = block->span;
		if (pending_end(heap, block))
			bytes += span;
	}
	context_unuse(heap->context);
	return bytes;
}

/* Gives one pending block back. Returns its bytes, or 0 if none can go now. */
static size_t pending_give_one(struct heap *heap)
{
	struct context *context = heap->context;
	struct block *block;
	size_t span;

	if (!context_enter_now(context))
		return 0;
	block = heap->pending;
	if (block)
		heap->pending = block->next;
	context->busy += block != NULL;
	context_leave(context);
	if (!block)
		return 0;
	span = block->span;
	if (!pending_end(heap, block))
		span = 0;
	context_unuse(context);
	return span;
}

/* Makes one idle block pending. Returns 0 if none can be made so now. */
static size_t idle_part_one(struct heap *heap)
{
	size_t span;

	if (!context_enter_now(heap->context))
		return 0;
	span = pools_trim(heap, 1);
	context_leave(heap->context);
	return span;
}

/* Asks the heaps of a device, one after the other, until one has done it. */
static size_t heaps_ask(const struct device *device,
			size_t (*ask)(struct heap *heap))
{
	struct context_walk walk = {0};
	struct context *context;
	size_t span = 0;

	while (!span && (context = context_next_of(&walk, device)))
		for (struct heap *at = &context->heap; at && !span;
		     at = at->next)
			if (at->device == device)
				span = ask(at);
	return span;
}

/* As pending_give, for what one context has of the device's memory. */
static size_t context_give(struct context *context, const struct device *device,
			   size_t idle)
{
	size_t bytes = 0;

	for (struct heap *at = &context->heap; at; at = at->next)
		if (at->device == device)
			bytes += pending_give(at,
					      idle > bytes ? idle - bytes : 0);
	return bytes;
}

/* As pending_give, for all contexts. */
static size_t contexts_give(const struct device *device, size_t idle)
{
	struct context_walk walk = {0};
	struct context *context;
	size_t bytes = 0;

	while ((context = context_next_of(&walk, device)))
		bytes += context_give(context, device,
				      idle > bytes ? idle - bytes : 0);
	return bytes;
}

/* Under the context's lock. Makes blocks pending that a pool that keeps all
 * would not have, up to so many bytes or a little more. Returns the bytes. */
static size_t surplus_trim(struct heap *heap, size_t bytes)
{
	size_t span = SIZE_MAX, found = 0;

	tcaches_flush_others(heap);
	while (found < bytes &&
	       (span = idle_limit_surplus(heap->device, span))) {
		if (pools_trim_one(heap, span) ||
		    (tcache_give_one(heap, span) && pools_trim_one(heap, span)))
			found += span++; /* there may be more of that span */
	}
	return found;
}

void reclaim_shed(struct heap *heap, size_t bytes)
{
	size_t found;

	if (!bytes)
		return;
	context_enter(heap->context);
	if (!heap->context->dead) {
		found = surplus_trim(heap, bytes);
		if (found < bytes)
			pools_trim(heap, bytes - found);
	}
	context_leave(heap->context);
	reclaim_request(heap->device);
}

void reclaim_request(struct device *device)
{
	bool host = device_is_host(device);

	atomic_store(&device->pending, true);
	for (int i = 0; host && i < DEVICE_MAX; i++)
		atomic_store(&device_at(i)->pending, true);
	gate_recompute(host ? NULL : device);
}

/* Blocks that are refused are tried once more, at the next free: this free may
 * be in a callback, for example, where CUDA permits nothing. */
static void give_now(struct device *device, size_t idle)
{
	bool again = atomic_exchange(&device->refused, false);

	giving_add(device, 1);
	contexts_give(device, idle);
	giving_add(device, -1);
	if (device->refused && !again)
		reclaim_request(device);
}

void reclaim_past_limit(struct device *device)
{
	size_t past =
		device_is_host(device) ? host_past(0) : idle_limit_past(device);

	if (past && !capture_any())
		give_now(device, past);
}

static void poll_one(struct device *device)
{
	if (!atomic_exchange(&device->pending, false))
		return;
	give_now(device, 0);
	gate_recompute(device);
}

void reclaim_run(struct device *device)
{
	if (!atomic_load_explicit(&device->pending, memory_order_relaxed) ||
	    capture_any())
		return;
	poll_one(device);
	/* A free of pinned memory may wait for every device; CUDA's free of a
	 * device's memory does not. */
	if (device_count() < 2 && !device_is_host(device))
		poll_one(device_at(DEVICE_HOST));
}

size_t reclaim_one(struct device *device)
{
	size_t span;

	if (!atomic_exchange(&device->pending, false))
		return 0;
	giving_add(device, 1);
	span = heaps_ask(device, pending_give_one);
	giving_add(device, -1);
	if (span)
		counter_add(device, COUNTER_rest_frees, 1);
	if (span || device->refused) /* there may be more */
		atomic_store(&device->pending, true);
	else
		gate_recompute(device);
	return span;
}

bool reclaim_part(struct device *device)
{
	bool parted = heaps_ask(device, idle_part_one);

	if (parted)
		reclaim_request(device);
	return parted;
}

size_t reclaim_now(struct device *device, size_t bytes)
{
	size_t given;

	if (waits_are_forbidden())
		return owed_now(device, bytes);
	giving_add(device, 1);
	atomic_store(&device->refused, false);
	deferred_free_release(device);
	pages_reap();
	/* Blocks that can't be reused go before those that can. */
	given = contexts_give(device, 0);
	if (given < bytes)
		given += contexts_give(device, bytes - given);
	giving_add(device, -1);
	if (given)
		counter_add(device, COUNTER_trims, 1);
	/* Blocks that another thread has taken off the lists make room as
	 * well. */
	giving_wait(device);
	return given;
}

/* At least two tries: a block may have been kept just before the pressure was
 * seen. */
bool reclaim_may_help(const struct device *device, int tries, size_t given)
{
	return tries < TRIES_MAX &&
	       (tries < 2 || given ||
		(!waits_are_forbidden() &&
		 counter_get(device, COUNTER_idle_bytes) && !device->refused));
}

void reclaim_context(struct context *context)
{
	struct heap *at = &context->heap;

	deferred_free_forget(context); /* hands it to its pools */
	do
		pending_give(at, SIZE_MAX);
	while ((at = at->next));
	/* What is free beside live blocks goes with the context, and so does
	 * what the driver has not taken back: no free of it waits for the work
	 * of others there. */
	if (!context->dead)
		backing_free_wait(context->handle);
}
