#include <stdatomic.h>
#include <stdbool.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "capture.h"
#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "fence_make.h"
#include "record/ring.h"
#include "stream_order.h"
#include "stats/counter.h"

/* How many requests pay for a fence of one context. */
enum { FENCE_PRICE = 100 };

/* The contexts of a device, which are in use (context_try). */
struct group {
	struct context *list[FENCE_CONTEXTS];
	int count;
};

static void group_close(struct group *group)
{
	while (group->count)
		context_unuse(group->list[--group->count]);
}

static int group_open(struct group *group, const struct device *device)
{
	struct context *list[FENCE_CONTEXTS];
	int count = contexts_of(device, list, FENCE_CONTEXTS);
	enum context_state state = CONTEXT_ALIVE;

	group->count = 0;
	for (int i = 0; i < count && state != CONTEXT_ENDING; i++) {
		state = context_try(list[i]);
		if (state == CONTEXT_ALIVE) /* a dead one has no work */
			group->list[group->count++] = list[i];
	}
	if (group->count && state != CONTEXT_ENDING)
		return CUDA_SUCCESS;
	group_close(group);
	return FENCE_NOT_NOW;
}

static bool group_has(const struct group *group, const struct context *context)
{
	for (int i = 0; i < group->count; i++)
		if (group->list[i] == context)
			return true;
	return false;
}

/* Whether no other context may use the memory by now. A context that may use it
 * from now on comes after the events, which have been recorded. */
static bool group_is_whole(const struct group *group,
			   const struct device *device)
{
	struct context *list[FENCE_CONTEXTS];
	int count = contexts_using(device, list, FENCE_CONTEXTS);

	for (int i = 0; i < count; i++)
		if (!group_has(group, list[i]))
			return false;
	return count >= 0;
}

/* Another thread may be making the context's first event as well. */
static int event_open(struct context *context)
{
	struct CUevent_st *event, *none = NULL;
	int res;

	if (context->fence)
		return CUDA_SUCCESS;
	res = backing_event_open(context->handle, &event);
	if (!res &&
	    !atomic_compare_exchange_strong(&context->fence, &none, event))
		backing_event_close(event);
	return res;
}

/* Captures are blocked for one call at a time, so that the start of a capture
 * waits for one call only. */
static int fence_quietly(int (*call)(struct CUctx_st *context,
				     struct CUevent_st *event),
			 const struct context *context,
			 struct CUevent_st *event)
{
	int res;

	if (!capture_block())
		return FENCE_NOT_NOW;
	res = call(context->handle, event);
	capture_unblock();
	/* A begin that had waited for the call long enough has gone on. */
	if (res == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && capture_any())
		return FENCE_NOT_NOW;
	return res;
}

/* If another thread's fence records an event anew meanwhile, the event stands
 * behind more work, never less. */
static int group_order(const struct group *group)
{
	int res = CUDA_SUCCESS, count = group->count;

	for (int i = 0; i < count && !res; i++) {
		res = fence_quietly(backing_record, group->list[i],
				    group->list[i]->fence);
		atomic_fetch_add(&group->list[i]->fences, 1);
	}
	for (int i = 0; i < count * count && !res; i++)
		res = fence_quietly(backing_wait_event, group->list[i / count],
				    group->list[i % count]->fence);
	return res;
}

/* The price of a fence grows with its calls; a fence of one context has two. */
void fence_pay(struct device *device, int contexts)
{
	uint64_t requests = counter_approx(device, COUNTER_allocs);
	uint64_t paid = atomic_load(&device->fence_credit);
	int calls = contexts + contexts * contexts;

	if (stream_order_seems_alone(device))
		return; /* it held up no other stream */
	atomic_store(&device->fence_credit,
		     (paid > requests ? paid : requests) +
			     FENCE_PRICE * calls / 2);
}

static int fence_of(const struct group *group, struct device *device)
{
	uint64_t safe, bytes;
	int res = CUDA_SUCCESS;

	for (int i = 0; i < group->count && !res; i++)
		res = event_open(group->list[i]);
	if (res)
		return res;
	safe = epoch_end(device, &bytes); /* first; see epoch_end */
	res = group_order(group);
	if (!res && !group_is_whole(group, device))
		res = FENCE_NOT_NOW;
	if (res) {
		counter_add(device, COUNTER_quarantined_bytes, bytes);
		return res;
	}
	epoch_publish(device, safe);
	record_did_add(MNM_RECORD_FENCE);
	counter_add(device, COUNTER_fences, 1);
	fence_pay(device, group->count);
	return CUDA_SUCCESS;
}

int fence_try(struct device *device)
{
	struct group group;
	int res = group_open(&group, device);

	if (res)
		return res;
	res = fence_of(&group, device);
	group_close(&group);
	return res;
}
