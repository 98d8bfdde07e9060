#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "mempool.h"
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

int stream_priority(int wanted)
{
	if (wanted > PRIORITY_LEAST)
		return PRIORITY_LEAST;
	return wanted < PRIORITY_GREATEST ? PRIORITY_GREATEST : wanted;
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
	res = stream_open(ctx, flags, stream_priority(priority), &stream);
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
	if (res)
		return res;
	mempool_leave(stream);
	stream_close(stream);
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamSynchronize(CUstream handle)
{
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);

	if (!res && stream->capture)
		res = capture_refuse(stream->capture);
	if (!res)
		res = stream_wait(stream);
	if (!res)
		mempool_settle();
	return res;
}

CUresult sim_cuStreamQuery(CUstream handle)
{
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);

	if (res)
		return res;
	if (stream->capture)
		return capture_refuse(stream->capture);
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

/* A green context's stream has that and the primary context. */
CUresult sim_cuStreamGetCtx_v2(CUstream handle, CUcontext *ctx,
			       CUgreenCtx *green)
{
	CUresult res = sim_cuStreamGetCtx(handle, ctx);
	struct context *found;

	if (res)
		return res;
	found = (struct context *)*ctx;
	if (found->green_of)
		*ctx = (CUcontext)found->green_of;
	if (green)
		*green = found->green_of ? (CUgreenCtx)found : NULL;
	return CUDA_SUCCESS;
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
