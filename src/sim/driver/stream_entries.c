#include <stdlib.h>

#include "clock.h"
#include "context.h"
#include "entries.h"
#include "stream.h"
#include "thread.h"
#include "world.h"

enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

CUresult sim_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (least)
		*least = PRIORITY_LEAST;
	if (greatest)
		*greatest = PRIORITY_GREATEST;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamCreateWithPriority(CUstream *out, unsigned flags,
					int priority)
{
	struct stream *stream;
	struct context *ctx;
	CUresult res;

	if (!out || flags & ~CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (res)
		return res;
	if (priority > PRIORITY_LEAST)
		priority = PRIORITY_LEAST;
	if (priority < PRIORITY_GREATEST)
		priority = PRIORITY_GREATEST;
	res = stream_open(ctx, flags, priority, &stream);
	if (!res)
		*out = (CUstream)stream;
	return res;
}

CUresult sim_cuStreamCreate(CUstream *out, unsigned flags)
{
	return sim_cuStreamCreateWithPriority(out, flags, PRIORITY_LEAST);
}

CUresult sim_cuStreamDestroy_v2(CUstream handle)
{
	struct stream *stream;
	CUresult res;

	if (!handle || handle == CU_STREAM_LEGACY ||
	    handle == CU_STREAM_PER_THREAD)
		return CUDA_ERROR_INVALID_HANDLE;
	res = stream_find(handle, &stream);
	if (!res)
		stream_close(stream);
	return res;
}

CUresult sim_cuStreamSynchronize(CUstream handle)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	return res ? res : stream_wait(stream);
}

CUresult sim_cuStreamQuery(CUstream handle)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (stream->completed != stream->submitted ||
	    !fence_asked(&stream->waits))
		return CUDA_ERROR_NOT_READY;
	past_join(&world.known, &stream->past);
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetPriority(CUstream handle, int *priority)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	*priority = stream->priority;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetFlags(CUstream handle, unsigned *flags)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = stream->flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetId(CUstream handle, unsigned long long *id)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	*id = stream->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCtx(CUstream handle, CUcontext *ctx)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = (CUcontext)stream->ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCtx_v2(CUstream handle, CUcontext *ctx,
			       CUgreenCtx *green)
{
	CUresult res = sim_cuStreamGetCtx(handle, ctx);

	if (!res && green)
		*green = NULL;
	return res;
}

CUresult sim_cuStreamGetDevice(CUstream handle, CUdevice *device)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = stream->ctx->dev->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	*status = CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode old = self.capture_mode;

	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	self.capture_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

static void callback_run(struct op *op)
{
	struct callback *callback = &op->callback;

	if (callback->fn)
		callback->fn(callback->user);
	else
		callback->with_status(callback->handle, CUDA_SUCCESS,
				      callback->user);
}

static CUresult callback_submit(CUstream handle, struct callback callback)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);
	struct op *op;

	if (res)
		return res;
	op = op_new(callback_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->callback = callback;
	op->on_worker = true;
	clock_spend(world.profile.submit_ns);
	return op_submit(op, stream, world.profile.callback_ns);
}

CUresult sim_cuLaunchHostFunc(CUstream handle, CUhostFn fn, void *user)
{
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	return callback_submit(handle,
			       (struct callback){.fn = fn, .user = user});
}

CUresult sim_cuStreamAddCallback(CUstream handle, CUstreamCallback fn,
				 void *user, unsigned flags)
{
	if (!fn || flags)
		return CUDA_ERROR_INVALID_VALUE;
	return callback_submit(handle, (struct callback){.with_status = fn,
							 .handle = handle,
							 .user = user});
}
