#include <pthread.h>

#include "backing.h"
#include "block.h"
#include "capture.h"
#include "fence.h"
#include "giveback.h"
#include "hold.h"
#include "pools.h"

enum { CONTEXTS_MAX = 512 }; /* in one release */

/* Threads that are giving blocks back, by device. */
static pthread_mutex_t giving_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t giving_done = PTHREAD_COND_INITIALIZER;
static int giving[DEVICE_MAX];

static void giving_add(const struct device *device, int change)
{
	pthread_mutex_lock(&giving_lock);
	giving[device_ordinal(device)] += change;
	pthread_cond_broadcast(&giving_done);
	pthread_mutex_unlock(&giving_lock);
}

static void giving_wait(const struct device *device)
{
	pthread_mutex_lock(&giving_lock);
	while (giving[device_ordinal(device)])
		pthread_cond_wait(&giving_done, &giving_lock);
	pthread_mutex_unlock(&giving_lock);
}

/* Takes the list of pending blocks, with all that is idle if so wished; after
 * any call that is under way and may end the context. */
static struct block *pending_take(struct context *context, bool idle_too)
{
	struct block *list;

	context_enter(context);
	if (idle_too)
		pools_trim(context);
	list = context->pending;
	context->pending = NULL;
	context->busy += list != NULL;
	context_leave(context);
	return list;
}

/* Frees the pending blocks; returns their bytes. */
static size_t pending_give(struct context *context, bool idle_too)
{
	struct device *device = context->device;
	struct block *list = pending_take(context, idle_too), *block;
	size_t bytes = 0;

	if (!list)
		return 0;
	while ((block = list)) {
		list = block->next;
		/* First: the driver may hand the address out at once. */
		if (block_remove(block) &&
		    !device_check(device,
				  backing_give(context->handle, block->addr)))
			counter_add(device, COUNTER_driver_frees, 1);
		counter_sub(device, COUNTER_pending_bytes, block->span);
		counter_sub(device, COUNTER_idle_bytes, block->span);
		device_unreserve(device, block->span);
		bytes += block->span;
		block_drop(block);
	}
	context_unuse(context);
	return bytes;
}

void device_announce(struct device *device)
{
	atomic_store(&device->pending, true);
}

void device_poll(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	int count;

	if (!atomic_load_explicit(&device->pending, memory_order_relaxed) ||
	    capture_any() || !atomic_exchange(&device->pending, false))
		return;
	giving_add(device, 1);
	count = context_hold(device, list, CONTEXTS_MAX);
	for (int i = 0; i < count; i++)
		pending_give(list[i], false);
	if (count > 0)
		context_release(list, count);
	giving_add(device, -1);
}

size_t device_release(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	size_t bytes = 0;
	int count;

	giving_add(device, 1);
	hold_surrender(device);
	count = context_hold(device, list, CONTEXTS_MAX);
	for (int i = 0; i < count; i++)
		bytes += pending_give(list[i], true);
	if (count > 0)
		context_release(list, count);
	giving_add(device, -1);
	if (bytes)
		counter_add(device, COUNTER_trims, 1);
	/* What another thread took off the lists is as good as idle. */
	giving_wait(device);
	return bytes;
}

void context_drain(struct context *context)
{
	hold_forget(context); /* to its pools */
	pending_give(context, true);
}
