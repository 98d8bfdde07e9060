#include "quick.h"

#include "call.h"
#include "context.h"
#include "entries.h"
#include "device.h"
#include "event.h"
#include "memory.h"
#include "stream.h"

void quick_open(void)
{
	bool quick = world.profile.ideal && !world.seed.on && !world.checking &&
		     call_unseen();

	__atomic_store_n(&world.quick, quick, __ATOMIC_RELEASE);
}

/* If true, all that was queued before this call is complete. */
static bool is_idle(void)
{
	return !__atomic_load_n(&world.busy, __ATOMIC_ACQUIRE);
}

/* The event of a handle if its last record is complete and in no
 * capture, or NULL. */
static const struct event *event_over(CUevent handle)
{
	const struct event *event = (const struct event *)handle;

	if (!event || event->magic != EVENT_MAGIC ||
	    !__atomic_load_n(&event->over, __ATOMIC_ACQUIRE))
		return NULL;
	return event;
}

static const struct context *context_alive(const struct context *ctx)
{
	return ctx && ctx->magic == CONTEXT_MAGIC &&
			       __atomic_load_n(&ctx->alive, __ATOMIC_ACQUIRE)
		       ? ctx
		       : NULL;
}

static const struct context *context_of(CUcontext handle)
{
	const struct context *ctx = (const struct context *)handle;

	return context_alive(ctx ? ctx : self.current);
}

/* The context of a stream that can be used, or NULL. */
static const struct context *stream_context(CUstream handle)
{
	const struct stream *stream = (const struct stream *)handle;

	if (!handle || handle == CU_STREAM_LEGACY ||
	    handle == CU_STREAM_PER_THREAD)
		return context_alive(self.current);
	return stream->magic == STREAM_MAGIC ? context_alive(stream->ctx)
					     : NULL;
}

bool quick_cuEventRecord(CUevent handle, CUstream stream)
{
	const struct event *event = event_over(handle);

	return event && is_idle() && stream_context(stream) == event->ctx;
}

bool quick_cuEventQuery(CUevent handle)
{
	return event_over(handle) && is_idle();
}

bool quick_cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned flags)
{
	return flags == CU_EVENT_WAIT_DEFAULT && event_over(handle) &&
	       is_idle() && stream_context(stream);
}

bool quick_cuCtxRecordEvent(CUcontext ctx, CUevent handle)
{
	const struct event *event = event_over(handle);

	return event && is_idle() && context_of(ctx) == event->ctx;
}

bool quick_cuCtxWaitEvent(CUcontext ctx, CUevent handle)
{
	return event_over(handle) && is_idle() && context_of(ctx);
}

bool quick_cuCtxSynchronize(void)
{
	return is_idle() && context_alive(self.current);
}

bool quick_cuStreamSynchronize(CUstream stream)
{
	return is_idle() && stream_context(stream);
}

bool quick_cuStreamQuery(CUstream stream)
{
	return is_idle() && stream_context(stream);
}

bool quick_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	if (!status || !is_idle() || !stream_context(stream))
		return false;
	*status = CU_STREAM_CAPTURE_STATUS_NONE;
	return true;
}

bool quick_cuStreamGetId(CUstream handle, unsigned long long *id)
{
	const struct context *ctx = stream_context(handle);
	const struct stream *stream = (const struct stream *)handle;

	if (!id || !ctx || handle == CU_STREAM_PER_THREAD ||
	    (!handle && self.per_thread))
		return false;
	if (!handle || handle == CU_STREAM_LEGACY)
		stream = ctx->legacy;
	if (!stream) /* the context has just ended */
		return false;
	*id = stream->id;
	return true;
}

bool quick_cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	struct context *ctx = self.current;
	struct block *block;
	bool done = false;

	if (!out || !size || !is_idle() || !ctx)
		return false;
	pthread_mutex_lock(&world.lock);
	if (ctx->alive)
		done = !memory_alloc(ctx, ctx->dev, size, BLOCK_PLAIN, &block);
	if (done)
		*out = block->addr;
	pthread_mutex_unlock(&world.lock);
	return done;
}

bool quick_cuMemGetInfo_v2(size_t *free, size_t *total)
{
	CUresult res;

	pthread_mutex_lock(&world.lock);
	res = sim_cuMemGetInfo_v2(free, total);
	pthread_mutex_unlock(&world.lock);
	return !res;
}

bool quick_cuPointerGetAttribute(void *out, CUpointer_attribute what,
				 CUdeviceptr addr)
{
	CUresult res;

	pthread_mutex_lock(&world.lock);
	res = sim_cuPointerGetAttribute(out, what, addr);
	pthread_mutex_unlock(&world.lock);
	return !res;
}

/* If nothing is queued, there is nothing to wait for. */
bool quick_cuMemFree_v2(CUdeviceptr addr)
{
	struct block *block = NULL;

	if (!is_idle() || !context_alive(self.current))
		return false;
	pthread_mutex_lock(&world.lock);
	if (is_idle())
		block = device_block(addr);
	if (block && (block->addr != addr || !memory_frees(block)))
		block = NULL;
	if (block)
		device_free(block);
	pthread_mutex_unlock(&world.lock);
	return block;
}
