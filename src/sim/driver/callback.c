#include "callback.h"

#include "capture.h"
#include "clock.h"
#include "entries.h"
#include "stream.h"
#include "world.h"

static void callback_run(struct op *op)
{
	struct callback *callback = &op->callback;

	if (callback->fn)
		callback->fn(callback->user);
	else
		callback->with_status(callback->handle, CUDA_SUCCESS,
				      callback->user);
}

struct op *callback_op(struct callback callback)
{
	struct op *op = op_new(callback_run);

	if (!op)
		return NULL;
	op->callback = callback;
	op->on_worker = true;
	op->calls = true;
	op->type = CU_GRAPH_NODE_TYPE_HOST;
	return op;
}

static CUresult callback_submit(CUstream handle, struct callback callback)
{
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);
	struct op *op;

	if (res)
		return res;
	if (stream->capture && callback.with_status)
		return capture_refuse(stream->capture);
	op = callback_op(callback);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
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
