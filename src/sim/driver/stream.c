#include "stream.h"

#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "thread.h"
#include "world.h"

static struct stream *spare;
static unsigned long long ids;
static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

static struct stream *stream_new(void)
{
	struct stream *stream = spare;

	if (stream) {
		spare = stream->next;
		return stream;
	}
	stream = calloc(1, sizeof(*stream));
	if (stream)
		pthread_cond_init(&stream->work, NULL);
	return stream;
}

/* A lane is used again only if its work is known to be over. That the stream
 * happened to be empty orders nothing in its next life. */
static void lane_open(struct stream *stream)
{
	past_clear(&stream->past);
	if (!stream->lane ||
	    !past_has(&world.known, stream->lane, stream->submitted))
		stream->lane = ++world.lanes;
}

CUresult stream_open(struct context *ctx, unsigned flags, int priority,
		     struct stream **out)
{
	struct stream *stream = stream_new();

	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->magic = STREAM_MAGIC;
	stream->ctx = ctx;
	stream->owner = NULL;
	stream->id = ++ids;
	stream->flags = flags;
	stream->priority = priority;
	stream->first = NULL;
	stream->last = &stream->first;
	stream->gate_number = 0;
	stream->end = 0;
	stream->attributes = (struct stream_attributes){
		.policy = CU_SYNC_POLICY_AUTO,
		.domain_map = {.remote = 1},
	};
	if (world.tracking)
		lane_open(stream);
	stream->next = ctx->streams;
	ctx->streams = stream;
	*out = stream;
	return CUDA_SUCCESS;
}

void stream_lanes_open(struct context *ctx)
{
	for (struct stream *s = ctx->streams; s; s = s->next)
		lane_open(s);
}

void stream_retire(struct stream *stream)
{
	struct stream **at = &stream->ctx->streams;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	/* Whoever waits for the context or its blocking streams later waits for
	 * this stream, too. */
	past_join(&stream->waits.past, &stream->past);
	fence_done(&stream->ctx->gone);
	fence_merge(&stream->ctx->gone, &stream->waits);
	if (stream_is_blocking(stream)) {
		fence_done(&stream->ctx->gone_blocking);
		fence_merge(&stream->ctx->gone_blocking, &stream->waits);
	}
	fence_clear(&stream->waits);
	stream->next = spare;
	spare = stream;
}

void stream_close(struct stream *stream)
{
	capture_leave(stream);
	stream->magic = 0;
	stream->owner = NULL;
	if (!stream->first)
		stream_retire(stream);
}

static void thread_streams_close(struct context *ctx, const void *owner)
{
	struct stream *next;

	for (struct stream *s = ctx->streams; s; s = next) {
		next = s->next;
		if (s->owner == owner)
			stream_close(s);
	}
}

static void thread_ended(void *owner)
{
	if (world_is_dead())
		return;
	pthread_mutex_lock(&world.lock);
	for (int i = 0; i < world.device_count; i++) {
		struct device *dev = &world.devices[i];

		thread_streams_close(&dev->primary, owner);
		for (struct context *c = dev->contexts; c; c = c->next)
			thread_streams_close(c, owner);
	}
	pthread_mutex_unlock(&world.lock);
}

static void thread_end_open(void)
{
	pthread_key_create(&thread_end, thread_ended);
}

static CUresult per_thread_find(struct context *ctx, struct stream **out)
{
	CUresult res;

	for (struct stream *s = ctx->streams; s; s = s->next) {
		if (s->owner == &self) {
			*out = s;
			return CUDA_SUCCESS;
		}
	}
	pthread_once(&thread_end_once, thread_end_open);
	pthread_setspecific(thread_end, &self);
	res = stream_open(ctx, CU_STREAM_DEFAULT, 0, out);
	if (!res)
		(*out)->owner = &self;
	return res;
}

CUresult stream_find(CUstream handle, struct stream **out)
{
	struct stream *stream = (struct stream *)handle;
	struct context *ctx;
	CUresult res;

	if (!handle)
		handle = self.per_thread ? CU_STREAM_PER_THREAD
					 : CU_STREAM_LEGACY;
	if (handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
		res = context_current(&ctx);
		if (res)
			return res;
		if (handle == CU_STREAM_PER_THREAD)
			return per_thread_find(ctx, out);
		*out = ctx->legacy;
		return CUDA_SUCCESS;
	}
	if (stream->magic != STREAM_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!stream->ctx->alive)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*out = stream;
	return CUDA_SUCCESS;
}

CUresult stream_use(CUstream handle, struct stream **out)
{
	CUresult res = stream_find(handle, out);
	struct stream *stream;

	if (res)
		return res;
	stream = *out;
	if (stream == stream->ctx->legacy)
		return capture_permit_legacy(stream->ctx);
	return stream->capture && stream->capture->invalid
		       ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
		       : CUDA_SUCCESS;
}

bool stream_is_blocking(const struct stream *stream)
{
	return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

bool stream_points(struct stream *stream, struct fence *fence)
{
	bool ok = fence_add(fence, stream, stream->submitted);

	return fence_merge(fence, &stream->waits) && ok;
}

static void reach(uint64_t *time, uint64_t other)
{
	if (*time < other)
		*time = other;
}

bool stream_before(struct stream *stream, struct fence *fence, uint64_t *time)
{
	struct context *ctx = stream->ctx;
	bool ok = stream_points(stream, fence);

	reach(time, stream->end);
	if (stream->gate_number != ctx->gate_number) {
		ok &= fence_merge(fence, &ctx->gate);
		reach(time, ctx->gate_time);
	}
	if (!stream_is_blocking(stream))
		return ok;
	if (stream != ctx->legacy) {
		reach(time, ctx->legacy->end);
		return stream_points(ctx->legacy, fence) && ok;
	}
	for (struct stream *s = ctx->streams; s; s = s->next) {
		if (!stream_is_blocking(s))
			continue;
		reach(time, s->end);
		ok &= stream_points(s, fence);
	}
	return fence_merge(fence, &ctx->gone_blocking) && ok;
}

/* Makes the stream come behind what is in another one. */
static bool stream_join(struct stream *stream, struct stream *other)
{
	reach(&stream->end, other->end);
	if (other->completed == other->submitted && fence_done(&other->waits) &&
	    past_covers(&stream->past, &other->past) &&
	    past_covers(&stream->past, &other->waits.past))
		return true; /* it is already; and no memory is needed */
	return stream_points(other, &stream->waits);
}

bool stream_mark(struct stream *stream)
{
	struct context *ctx = stream->ctx;
	bool ok = true;

	if (stream->gate_number != ctx->gate_number) {
		if (!fence_merge(&stream->waits, &ctx->gate))
			return false;
		reach(&stream->end, ctx->gate_time);
		stream->gate_number = ctx->gate_number;
	}
	if (!stream_is_blocking(stream))
		return true;
	if (stream != ctx->legacy)
		return stream_join(stream, ctx->legacy);
	for (struct stream *s = ctx->streams; s; s = s->next)
		if (s != stream && stream_is_blocking(s))
			ok &= stream_join(stream, s);
	return fence_merge(&stream->waits, &ctx->gone_blocking) && ok;
}

CUresult stream_wait(struct stream *stream)
{
	struct fence fence = {0};
	uint64_t end = stream->end;

	if (!stream_points(stream, &fence)) {
		fence_clear(&fence);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	fence_wait(&fence);
	fence_clear(&fence);
	clock_reach(end);
	return CUDA_SUCCESS;
}
