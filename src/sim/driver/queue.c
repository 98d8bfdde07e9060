#include "queue.h"

#include "context.h"
#include "fence.h"
#include "stream.h"
#include "world.h"

static bool point_add(struct fence *fence, struct stream *stream)
{
	uint64_t most = world.profile.queue_most;

	return !most || stream->submitted < most ||
	       fence_add(fence, stream, stream->submitted - most + 1);
}

static CUresult pass(struct fence *fence, const struct context *ctx, bool ok)
{
	if (ok)
		fence_pass(fence);
	fence_clear(fence);
	if (!ok)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return ctx->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult queue_wait(struct stream *stream)
{
	struct fence fence = {0};
	bool ok;

	if (!world.profile.queue_most)
		return CUDA_SUCCESS;
	ok = point_add(&fence, stream);
	return pass(&fence, stream->ctx, ok);
}

CUresult queue_wait_all(struct context *ctx)
{
	struct context *part = NULL;
	struct fence fence = {0};
	bool ok = true;

	if (!world.profile.queue_most)
		return CUDA_SUCCESS;
	while ((part = context_part(ctx, part)))
		for (struct stream *s = part->streams; s; s = s->next)
			ok &= point_add(&fence, s);
	return pass(&fence, ctx, ok);
}
