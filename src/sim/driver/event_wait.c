/* Waits of streams and contexts for events. */
#include "board.h"
#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "event.h"
#include "queue.h"
#include "stream.h"
#include "world.h"

CUresult event_wait_node(struct event *event, struct fence *done,
			 uint64_t *time)
{
	if (event->capture)
		return CUDA_SUCCESS;
	if (!fence_merge(done, &event->fence))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (event->recorded && *time < event->time)
		*time = event->time;
	return CUDA_SUCCESS;
}

/* Both sides must be in one capture. A stream that is in none comes in. */
static CUresult wait_captured(struct stream *stream, struct event *event)
{
	struct capture *capture = capture_find(event->capture);
	struct capture *own = stream->capture;

	if (!capture) {
		if (own)
			own->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	if (own && own != capture) {
		own->invalid = true;
		capture->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	if (capture->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (stream == stream->ctx->legacy)
		return capture_refuse(capture);
	if (!own)
		return capture_join(capture, stream, &event->frontier);
	return nodes_merge(&stream->frontier, &event->frontier)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuStreamWaitEvent(CUstream handle, CUevent what, unsigned flags)
{
	struct stream *stream;
	struct event *event;
	CUresult res = event_find(what, &event);

	if (!res)
		res = stream_use(handle, &stream);
	if (res)
		return res;
	if (flags == CU_EVENT_WAIT_EXTERNAL)
		return event_capture_outer(event, stream,
					   CU_GRAPH_NODE_TYPE_WAIT_EVENT);
	if (flags != CU_EVENT_WAIT_DEFAULT)
		return CUDA_ERROR_INVALID_VALUE;
	if (event->capture || stream->capture)
		return wait_captured(stream, event);
	if (!fence_merge(&stream->waits, &event->fence) ||
	    (event->slot && board_hold(event->slot, stream)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!event->recorded)
		return CUDA_SUCCESS; /* as documented, nothing is done */
	if (stream->end < event->time)
		stream->end = event->time;
	return stream_mark(stream) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult gate_permit(struct context *ctx, struct event *event)
{
	struct capture *capture = capture_find(event->capture);
	CUresult res = capture_permit_context(ctx);

	if (capture)
		return capture_refuse(capture);
	return event->capture && !res ? CUDA_ERROR_CAPTURED_EVENT : res;
}

CUresult sim_cuCtxWaitEvent(CUcontext where, CUevent handle)
{
	struct context *ctx, *part = NULL;
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		res = context_named(where, &ctx);
	if (!res)
		res = gate_permit(ctx, event) ?: queue_wait_all(ctx);
	if (res)
		return res;
	if (event->slot)
		return CUDA_ERROR_NOT_SUPPORTED;
	while ((part = context_part(ctx, part))) {
		fence_done(&part->gate);
		if (!fence_merge(&part->gate, &event->fence))
			return CUDA_ERROR_OUT_OF_MEMORY;
		part->gate_number++;
		if (event->recorded && part->gate_time < event->time)
			part->gate_time = event->time;
	}
	clock_spend(world.profile.event_ns);
	return CUDA_SUCCESS;
}
