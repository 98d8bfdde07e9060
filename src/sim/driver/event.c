#include "event.h"

#include <stdlib.h>

#include "board.h"
#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "node.h"
#include "queue.h"
#include "stream.h"
#include "thread.h"
#include "world.h"

static struct event *spare;
static unsigned long long ids;

CUresult event_find(CUevent handle, struct event **out)
{
	struct event *event = (struct event *)handle;

	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->magic != EVENT_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = event;
	return CUDA_SUCCESS;
}

CUresult event_open(unsigned flags, struct event **out)
{
	struct event *event = spare;
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (event)
		spare = event->next;
	else
		event = malloc(sizeof(*event));
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*event = (struct event){.magic = EVENT_MAGIC,
				.id = ++ids,
				.flags = flags,
				.ctx = ctx,
				.next = ctx->events};
	if (ctx->events)
		ctx->events->prev = event;
	ctx->events = event;
	*out = event;
	return CUDA_SUCCESS;
}

CUresult sim_cuEventCreate(CUevent *out, unsigned flags)
{
	const unsigned known = CU_EVENT_BLOCKING_SYNC |
			       CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
	struct event *event;
	CUresult res;

	if (!out || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	/* The first requires the second, see the notes of cuEventCreate. */
	if (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_VALUE;
	res = event_open(flags, &event);
	if (res)
		return res;
	if (flags & CU_EVENT_INTERPROCESS) {
		event->slot = board_take();
		if (!event->slot) {
			event_close(event);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
	}
	*out = (CUevent)event;
	return CUDA_SUCCESS;
}

void event_close(struct event *event)
{
	event->magic = 0;
	if (event->prev)
		event->prev->next = event->next;
	else
		event->ctx->events = event->next;
	if (event->next)
		event->next->prev = event->prev;
	fence_clear(&event->fence);
	nodes_clear(&event->frontier);
	if (event->slot && !event->imported)
		board_give(event->slot);
	event->next = spare;
	spare = event;
}

CUresult sim_cuEventDestroy_v2(CUevent handle)
{
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		event_close(event);
	return res;
}

/* Forgets the event's last record. */
static void event_reset(struct event *event)
{
	__atomic_store_n(&event->over, false, __ATOMIC_RELEASE);
	fence_clear(&event->fence);
	nodes_clear(&event->frontier);
	event->capture = 0;
}

/* Whether the event is complete. If so, notes that for quick.h. */
static bool event_done(struct event *event)
{
	if (!fence_done(&event->fence))
		return false;
	if (event->recorded && !event->capture && !event->slot)
		__atomic_store_n(&event->over, true, __ATOMIC_RELEASE);
	return true;
}

/* In a capture nothing is recorded: the event stands for nodes. */
static CUresult event_capture(struct event *event, struct stream *stream)
{
	event_reset(event);
	if (!nodes_merge(&event->frontier, &stream->frontier))
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->capture = stream->capture->id;
	event->recorded = true;
	return CUDA_SUCCESS;
}

/* Checks whether the program may query the event or wait for it now. */
static CUresult event_permit(struct event *event)
{
	struct capture *capture = capture_find(event->capture);

	if (capture)
		capture->invalid = true;
	return event->capture ? CUDA_ERROR_CAPTURED_EVENT : capture_permit();
}

static CUresult event_record(struct event *event, struct stream *stream)
{
	uint64_t time;

	clock_spend(world.profile.event_ns);
	time = self.now;
	event_reset(event);
	if (event->slot && board_record(event->slot, stream))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!stream_before(stream, &event->fence, &time) ||
	    !stream_mark(stream))
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->recorded = true;
	event->time = time;
	event_done(event);
	return CUDA_SUCCESS;
}

CUresult event_record_node(struct event *event, const struct fence *done,
			   uint64_t time)
{
	event_reset(event);
	if (!fence_merge(&event->fence, done))
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->recorded = true;
	event->time = time;
	event_done(event);
	return CUDA_SUCCESS;
}

CUresult event_capture_outer(struct event *event, struct stream *stream,
			     CUgraphNodeType type)
{
	struct node *node;
	CUresult res;

	if (!stream->capture || event->slot)
		return stream->capture ? CUDA_ERROR_NOT_SUPPORTED
				       : CUDA_ERROR_INVALID_VALUE;
	res = capture_node(stream, type, &node);
	if (!res)
		node_set_event(node, event);
	return res;
}

CUresult sim_cuEventRecordWithFlags(CUevent handle, CUstream where,
				    unsigned flags)
{
	struct stream *stream;
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		res = stream_use(where, &stream);
	if (res)
		return res;
	if (flags == CU_EVENT_RECORD_EXTERNAL)
		return event_capture_outer(event, stream,
					   CU_GRAPH_NODE_TYPE_EVENT_RECORD);
	if (flags != CU_EVENT_RECORD_DEFAULT)
		return CUDA_ERROR_INVALID_VALUE;
	if (event->ctx != stream->ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->capture)
		return event_capture(event, stream);
	return queue_wait(stream) ?: event_record(event, stream);
}

CUresult sim_cuEventRecord(CUevent handle, CUstream where)
{
	return sim_cuEventRecordWithFlags(handle, where,
					  CU_EVENT_RECORD_DEFAULT);
}

CUresult sim_cuEventQuery(CUevent handle)
{
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		res = event_permit(event);
	if (res)
		return res;
	if (!event_done(event) || !fence_asked(&event->fence) ||
	    (event->slot && !board_done(event->slot)))
		return CUDA_ERROR_NOT_READY;
	return CUDA_SUCCESS;
}

CUresult sim_cuEventSynchronize(CUevent handle)
{
	struct fence fence = {0};
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		res = event_permit(event);
	if (res)
		return res;
	/* A copy, since another thread may record the event again meanwhile. */
	if (!fence_merge(&fence, &event->fence))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	else if (event->recorded)
		clock_reach(event->time);
	fence_wait(&fence);
	fence_clear(&fence);
	if (event->slot)
		board_wait(event->slot);
	mempool_settle();
	return res;
}

CUresult sim_cuEventElapsedTime_v2(float *ms, CUevent first, CUevent second)
{
	struct event *start, *end;
	CUresult res = event_find(first, &start);

	if (!res)
		res = event_find(second, &end);
	if (res)
		return res;
	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!start->recorded || !end->recorded ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING ||
	    start->ctx->dev != end->ctx->dev)
		return CUDA_ERROR_INVALID_HANDLE;
	if (start->capture || end->capture)
		return CUDA_ERROR_CAPTURED_EVENT;
	if (!fence_asked(&start->fence) || !fence_asked(&end->fence))
		return CUDA_ERROR_NOT_READY;
	*ms = (float)(((double)end->time - (double)start->time) / 1e6);
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxRecordEvent(CUcontext where, CUevent handle)
{
	struct context *ctx, *part = NULL;
	struct event *event;
	CUresult res = event_find(handle, &event);
	bool ok = true;

	if (!res)
		res = context_named(where, &ctx);
	if (res)
		return res;
	if (event->ctx != ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->slot)
		return CUDA_ERROR_NOT_SUPPORTED;
	res = capture_permit_context(ctx) ?: queue_wait_all(ctx);
	if (res)
		return res;
	clock_spend(world.profile.event_ns);
	event->time = self.now;
	event_reset(event);
	while ((part = context_part(ctx, part))) {
		for (struct stream *s = part->streams; s; s = s->next)
			ok &= stream_before(s, &event->fence, &event->time);
		ok &= fence_merge(&event->fence, &part->gone);
	}
	event->recorded = true;
	if (!ok)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event_done(event);
	return CUDA_SUCCESS;
}
