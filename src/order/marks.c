#include <cuda.h>

#include "cuda/backing.h"
#include "capture.h"
#include "context/context.h"
#include "fence.h"
#include "fence_make.h"
#include "marks.h"

/* Makes a call while captures are blocked. */
static int mark_quietly(int (*call)(const struct mark *mark),
			const struct mark *mark)
{
	int res;

	if (!capture_block())
		return FENCE_NOT_NOW;
	res = call(mark);
	capture_unblock();
	/* A begin that had waited for the call long enough has gone on. */
	if (res == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && capture_any())
		return FENCE_NOT_NOW;
	return res;
}

static int mark_record(const struct mark *mark)
{
	return backing_record(mark->context->handle, mark->event);
}

static int mark_query(const struct mark *mark)
{
	return backing_event_query(mark->event);
}

/* The context is in use. */
static int mark_set(struct mark *mark)
{
	int res = backing_event_open(mark->context->handle, &mark->event);

	if (res)
		return res;
	res = mark_quietly(mark_record, mark);
	if (res)
		backing_event_close(mark->event);
	return res;
}

/* The context is in use. */
static int mark_ask(struct mark *mark)
{
	int res = mark_quietly(mark_query, mark);

	return res == CUDA_ERROR_NOT_READY ? FENCE_NOT_NOW : res;
}

/* The context is in use. A capture bears the question in a mode that spares
 * it. */
static int mark_ask_relaxed(struct mark *mark)
{
	unsigned int mode = backing_relax();
	int res = mark_query(mark);

	backing_unrelax(mode);
	return res == CUDA_ERROR_NOT_READY ? FENCE_NOT_NOW : res;
}

/* The context is in use. */
static int mark_drop(struct mark *mark)
{
	backing_event_close(mark->event);
	return CUDA_SUCCESS;
}

/* In a dead context the events are gone, and all work is done. If the context's
 * own device is lost, that error is not returned: it says nothing of the device
 * whose memory this is about. */
static int mark_do(struct mark *mark, int (*call)(struct mark *mark))
{
	enum context_state state = context_try(mark->context);
	int res;

	if (state != CONTEXT_ALIVE)
		return state == CONTEXT_DEAD ? CUDA_SUCCESS : FENCE_NOT_NOW;
	res = call(mark);
	if (res != FENCE_NOT_NOW)
		device_check(mark->context->device, res);
	context_unuse(mark->context);
	return backing_is_lost(res) ? FENCE_NOT_NOW : res;
}

void marks_drop(struct marks *marks)
{
	for (int i = 0; i < marks->count; i++)
		mark_do(&marks->list[i], mark_drop);
	marks->count = 0;
}

int marks_set(struct marks *marks, const struct device *device)
{
	struct context *list[MARKS_MAX];
	int count = contexts_using(device, list, MARKS_MAX);
	int res = CUDA_SUCCESS;

	marks->count = 0;
	while (marks->count < count && !res) {
		marks->list[marks->count] =
			(struct mark){list[marks->count], NULL};
		res = mark_do(&marks->list[marks->count], mark_set);
		marks->count += !res;
	}
	if (count > 0 && marks->count == count)
		return CUDA_SUCCESS;
	marks_drop(marks);
	return res ? res : FENCE_NOT_NOW;
}

static int each_ask(struct marks *marks, int (*ask)(struct mark *mark))
{
	int res = CUDA_SUCCESS;

	for (int i = 0; i < marks->count && !res; i++)
		res = mark_do(&marks->list[i], ask);
	return res;
}

int marks_ask(struct marks *marks)
{
	return each_ask(marks, mark_ask);
}

int marks_ask_beside(struct marks *marks)
{
	return each_ask(marks, mark_ask_relaxed);
}

bool device_is_idle(const struct device *device)
{
	struct marks marks;
	bool idle;

	if (marks_set(&marks, device))
		return false;
	idle = !marks_ask(&marks);
	marks_drop(&marks);
	return idle;
}
