#include <stdatomic.h>

#include <cuda.h>

#include "backing.h"
#include "capture.h"
#include "context.h"
#include "epoch.h"
#include "fence.h"
#include "seal.h"

enum { CONTEXTS_MAX = 64 }; /* in one seal */

/* An event in a context. */
struct mark {
	struct context *context;
	struct CUevent_st *event;
};

static struct seal {
	_Atomic bool asking; /* a thread is at it; others don't wait for it */
	_Atomic int count;   /* 0: it is not on */
	uint64_t epoch;      /* that the marks stand behind */
	struct mark marks[CONTEXTS_MAX];
} seals[DEVICE_MAX];

static struct seal *seal_of(const struct device *device)
{
	return &seals[device_ordinal(device)];
}

bool seal_is_on(const struct device *device)
{
	return seal_of(device)->count;
}

/* The context is in use. */
static int mark_set(struct mark *mark)
{
	int res = backing_event_open(mark->context->handle, &mark->event);

	if (res)
		return res;
	res = CUDA_ERROR_NOT_READY;
	if (quiet_begin()) {
		res = backing_record(mark->context->handle, mark->event);
		quiet_end();
	}
	if (res)
		backing_event_close(mark->event);
	return res;
}

/* The context is in use. */
static int mark_ask(struct mark *mark)
{
	int res = CUDA_ERROR_NOT_READY;

	if (quiet_begin()) {
		res = backing_event_query(mark->event);
		quiet_end();
	}
	return res;
}

/* The context is in use. */
static int mark_drop(struct mark *mark)
{
	backing_event_close(mark->event);
	return CUDA_SUCCESS;
}

/* Whether it is done; in a dead context, whose events are gone, it is. */
static bool mark_do(struct mark *mark, int (*call)(struct mark *mark))
{
	enum context_state state = context_try(mark->context);
	int res;

	if (state != CONTEXT_ALIVE)
		return state == CONTEXT_DEAD;
	res = device_check(mark->context->device, call(mark));
	context_unuse(mark->context);
	return !res;
}

static void seal_drop(struct seal *seal, int count)
{
	for (int i = 0; i < count; i++)
		mark_do(&seal->marks[i], mark_drop);
	seal->count = 0;
}

/* The epoch ends first: who comes later, and then frees, is in the next one. */
static void seal_set(struct seal *seal, struct device *device)
{
	struct context *list[CONTEXTS_MAX];
	uint64_t bytes;
	int count, set = 0;

	seal->epoch = epoch_end(device, &bytes);
	count = contexts_using(device, list, CONTEXTS_MAX);
	while (set < count) {
		seal->marks[set] = (struct mark){list[set], NULL};
		if (!mark_do(&seal->marks[set], mark_set))
			break;
		set++;
	}
	seal->count = set;
	if (count > 0 && set == count)
		return;
	seal_drop(seal, set);
	counter_add(device, COUNTER_quarantined_bytes, bytes);
}

static bool seal_is_over(struct seal *seal)
{
	int over = 0;

	while (over < seal->count && mark_do(&seal->marks[over], mark_ask))
		over++;
	return over && over == seal->count;
}

bool seal_ready(struct device *device)
{
	struct seal *seal = seal_of(device);
	bool ready;

	if (atomic_exchange(&seal->asking, true))
		return false;
	if (!seal->count)
		seal_set(seal, device);
	ready = seal_is_over(seal);
	if (ready) {
		epoch_over(device, seal->epoch);
		seal_drop(seal, seal->count);
		counter_add(device, COUNTER_fences, 1);
		fence_pay(device, 1);
	}
	atomic_store(&seal->asking, false);
	return ready;
}
