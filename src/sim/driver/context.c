#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "event.h"
#include "heap.h"
#include "host.h"
#include "module.h"
#include "stream.h"
#include "texture.h"
#include "thread.h"
#include "world.h"

static unsigned long long ids;

static void limits_reset(size_t *limits)
{
	memset(limits, 0, sizeof(size_t) * CONTEXT_LIMITS);
	limits[CU_LIMIT_STACK_SIZE] = 1024;
	limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
	limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
	limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
	limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
	limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

CUresult context_open(struct context *ctx, struct device *dev, unsigned flags)
{
	CUresult res = arena_open(&dev->arena);

	if (res)
		return res;
	*ctx = (struct context){.magic = CONTEXT_MAGIC,
				.dev = dev,
				.id = ++ids,
				.flags = flags,
				.users = 1,
				.api_version = 3020};
	limits_reset(ctx->limits);
	res = stream_open(ctx, CU_STREAM_DEFAULT, 0, &ctx->legacy);
	if (res)
		return res;
	__atomic_store_n(&ctx->alive, true, __ATOMIC_RELEASE);
	clock_spend(world.profile.context_ns);
	return CUDA_SUCCESS;
}

/* Waits for queued frees of the context's memory, which may be in streams of
 * other contexts. */
static void frees_wait(struct context *ctx)
{
	struct fence fence = {0};

	for (struct block *block = ctx->blocks; block; block = block->next)
		if (block->freeing)
			fence_add(&fence, block->freed_in,
				  block->freed_in->submitted);
	fence_wait(&fence);
	fence_clear(&fence);
}

/* Access that others have to a context's memory ends with it. It is kept by
 * device, so it stays while there is another context. */
static void peers_forget(const struct context *ctx)
{
	const struct device *dev = ctx->dev;
	const unsigned long long bit = 1ull << dev->ordinal;
	bool others = dev->primary.alive;

	for (struct context *c = dev->contexts; c; c = c->next)
		others |= c->alive && !c->green_of;
	for (int i = 0; !others && i < world.device_count; i++) {
		world.devices[i].primary.peers &= ~bit;
		for (struct context *c = world.devices[i].contexts; c;
		     c = c->next)
			c->peers &= ~bit;
	}
}

void context_close(struct context *ctx)
{
	/* Other threads must not queue more while this one waits. */
	__atomic_store_n(&ctx->alive, false, __ATOMIC_RELEASE);
	ctx->closing = true;
	context_wait(ctx);
	frees_wait(ctx);
	while (ctx->blocks)
		device_free(ctx->blocks);
	heap_close(ctx);
	mempool_reset(ctx->dev, ctx == &ctx->dev->primary);
	while (ctx->events)
		event_close(ctx->events);
	while (ctx->streams)
		stream_close(ctx->streams);
	host_close(ctx);
	module_close_all(ctx);
	textures_close(ctx);
	fence_clear(&ctx->gate);
	fence_clear(&ctx->gone);
	fence_clear(&ctx->gone_blocking);
	peers_forget(ctx);
	ctx->closing = false;
	pthread_cond_broadcast(&world.done);
}

/* Ended contexts stay, so that their handles are recognised. */
static struct context *ended;

void context_end(struct context *ctx)
{
	struct context **at = &ctx->dev->contexts;

	context_close(ctx);
	while (*at != ctx)
		at = &(*at)->next;
	*at = ctx->next;
	ctx->next = ended;
	ended = ctx;
}

void context_settle(struct context *ctx)
{
	while (ctx->closing) {
		world.waiting++;
		pthread_cond_wait(&world.done, &world.lock);
		world.waiting--;
	}
}

CUresult context_current(struct context **out)
{
	struct context *ctx;

	ctx = self.current;
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!__atomic_load_n(&ctx->alive, __ATOMIC_ACQUIRE))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*out = ctx;
	return CUDA_SUCCESS;
}

CUresult context_find(CUcontext handle, struct context **out)
{
	struct context *ctx = (struct context *)handle;

	if (!ctx)
		return context_current(out);
	if (ctx->magic != CONTEXT_MAGIC)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!__atomic_load_n(&ctx->alive, __ATOMIC_ACQUIRE))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*out = ctx;
	return CUDA_SUCCESS;
}

CUresult context_named(CUcontext handle, struct context **ctx)
{
	return handle ? context_find(handle, ctx) : CUDA_ERROR_INVALID_CONTEXT;
}

struct context *context_part(struct context *ctx, struct context *last)
{
	struct context *part;

	if (!last)
		return ctx;
	part = last == ctx ? ctx->dev->contexts : last->next;
	while (part && part->green_of != ctx)
		part = part->next;
	return part;
}

void context_points(struct context *ctx, struct fence *fence)
{
	struct context *part = NULL;

	while ((part = context_part(ctx, part))) {
		for (struct stream *s = part->streams; s; s = s->next)
			stream_points(s, fence);
		fence_merge(fence, &part->gone);
	}
}

void context_wait(struct context *ctx)
{
	struct context *part = NULL;
	struct fence fence = {0};
	uint64_t end = 0;

	context_points(ctx, &fence);
	while ((part = context_part(ctx, part)))
		for (struct stream *s = part->streams; s; s = s->next)
			if (end < s->end)
				end = s->end;
	fence_wait(&fence);
	fence_clear(&fence);
	clock_reach(end);
}
