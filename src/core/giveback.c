#include <sched.h>

#include <cuda.h>

#include "backing.h"
#include "block.h"
#include "giveback.h"
#include "mem.h"
#include "pools.h"

enum {
	CONTEXTS_MAX = 512, /* in one wait or release */
	GIVING_YIELDS = 10000,
};

static _Atomic bool announced;
static _Atomic bool peers;

void device_peers_enabled(void)
{
	peers = true;
}

/* A context that went away behind our back has no work left. */
static bool wait_failed(int res)
{
	return res && res != CUDA_ERROR_CONTEXT_IS_DESTROYED &&
	       res != CUDA_ERROR_INVALID_CONTEXT;
}

int device_wait(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	int count, res = CUDA_SUCCESS;
	uint64_t safe, before;

	count = context_hold(peers ? NULL : device, list, CONTEXTS_MAX);
	if (count < 0)
		return CUDA_ERROR_NOT_SUPPORTED;
	/* First: whatever is freed during the wait belongs to the next one. */
	safe = atomic_fetch_add(&device->epoch, 1) + 1;
	for (int i = 0; i < count && !res; i++) {
		res = backing_wait(list[i]->handle);
		if (!wait_failed(res))
			res = CUDA_SUCCESS;
	}
	context_release(list, count);
	if (res)
		return res;
	counter_add(device, COUNTER_syncs, 1);
	before = atomic_load(&device->safe);
	while (before < safe &&
	       !atomic_compare_exchange_weak(&device->safe, &before, safe))
		;
	return CUDA_SUCCESS;
}

/* Frees what waits in context->pending; returns the bytes. */
static size_t pending_give(struct context *context)
{
	struct device *device = context->device;
	struct block *list, *block;
	size_t bytes = 0;

	pthread_mutex_lock(&context->lock);
	list = context->pending;
	context->pending = NULL;
	pthread_mutex_unlock(&context->lock);
	while ((block = list)) {
		list = block->next;
		/* First: the driver may hand the address out at once. */
		block_remove(block);
		if (!backing_give(context->handle, block->addr))
			counter_add(device, COUNTER_driver_frees, 1);
		counter_sub(device, COUNTER_pending_bytes, block->span);
		counter_sub(device, COUNTER_idle_bytes, block->span);
		counter_sub(device, COUNTER_reserved_bytes, block->span);
		bytes += block->span;
		block_drop(block);
	}
	return bytes;
}

void giveback_announce(void)
{
	atomic_store(&announced, true);
}

void mem_poll(void)
{
	struct context *list[CONTEXTS_MAX];
	int count;

	if (!atomic_load_explicit(&announced, memory_order_relaxed) ||
	    !mem_enabled() || !atomic_exchange(&announced, false))
		return;
	count = context_hold(NULL, list, CONTEXTS_MAX);
	if (count < 0)
		return;
	for (int i = 0; i < count; i++) {
		list[i]->device->giving++;
		pending_give(list[i]);
		list[i]->device->giving--;
	}
	context_release(list, count);
}

size_t device_release(struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	int count = context_hold(device, list, CONTEXTS_MAX);
	size_t bytes = 0;

	device->giving++;
	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&list[i]->lock);
		pools_trim(list[i]);
		pthread_mutex_unlock(&list[i]->lock);
		bytes += pending_give(list[i]);
	}
	device->giving--;
	if (count > 0)
		context_release(list, count);
	if (bytes)
		counter_add(device, COUNTER_trims, 1);
	/* Blocks that another thread took off the lists are as good as idle
	 * ones; bounded, as that thread waits for the device. */
	for (int i = 0; i < GIVING_YIELDS && device->giving; i++)
		sched_yield();
	return bytes;
}

void context_empty(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	pools_trim(context);
	pthread_mutex_unlock(&context->lock);
	pending_give(context);
	context_forget(context);
}
