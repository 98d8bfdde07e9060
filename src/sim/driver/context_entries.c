#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "thread.h"
#include "world.h"

enum { STACK_MOST = 64 };

/* Each thread's stack, without its top, which is self.current. */
static __thread struct context *stack[STACK_MOST];

static CUresult stack_push(struct context *ctx)
{
	if (self.depth == STACK_MOST)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[self.depth++] = self.current;
	self.current = ctx;
	return CUDA_SUCCESS;
}

static void stack_pop(void)
{
	if (self.depth)
		self.current = stack[--self.depth];
}

static CUresult context_create(CUcontext *out, unsigned flags, CUdevice device,
			       unsigned api_version)
{
	struct device *dev;
	struct context *ctx;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!out || flags & ~CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	ctx = malloc(sizeof(*ctx));
	if (!ctx)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = context_open(ctx, dev, flags);
	if (res) {
		free(ctx);
		return res;
	}
	ctx->api_version = api_version;
	ctx->next = dev->contexts;
	dev->contexts = ctx;
	res = stack_push(ctx);
	if (res) {
		sim_cuCtxDestroy_v2((CUcontext)ctx);
		return res;
	}
	*out = (CUcontext)ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
	return context_create(out, flags, device, 3020);
}

CUresult sim_cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinity,
			    int count, unsigned flags, CUdevice device)
{
	if (count < 0 || (count && !affinity))
		return CUDA_ERROR_INVALID_VALUE;
	if (count)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return context_create(out, flags, device, 3030);
}

CUresult sim_cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params,
			    unsigned flags, CUdevice device)
{
	if (params && (params->numExecAffinityParams || params->cigParams))
		return CUDA_ERROR_NOT_SUPPORTED;
	return context_create(out, flags, device, 3030);
}

CUresult sim_cuCtxDestroy_v2(CUcontext handle)
{
	struct context *ctx;
	CUresult res;

	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_find(handle, &ctx);
	if (res)
		return res;
	if (ctx == &ctx->dev->primary || ctx->green_of)
		return CUDA_ERROR_INVALID_CONTEXT;
	context_end(ctx);
	/* As documented: popped if it is current to the caller, and left on the
	 * stacks of other threads. */
	if (self.current == ctx)
		stack_pop();
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxAttach(CUcontext *out, unsigned flags)
{
	struct context *ctx;
	CUresult res;

	if (!out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (res)
		return res;
	ctx->users++;
	*out = (CUcontext)ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxDetach(CUcontext handle)
{
	struct context *ctx;
	CUresult res = context_find(handle, &ctx);

	if (res)
		return res;
	if (--ctx->users)
		return CUDA_SUCCESS;
	ctx->users = 1;
	return sim_cuCtxDestroy_v2((CUcontext)ctx);
}

CUresult sim_cuCtxPushCurrent_v2(CUcontext handle)
{
	struct context *ctx;
	CUresult res;

	if (!handle)
		return CUDA_ERROR_INVALID_CONTEXT;
	res = context_find(handle, &ctx);
	return res ? res : stack_push(ctx);
}

CUresult sim_cuCtxPopCurrent_v2(CUcontext *out)
{
	if (!self.depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (out)
		*out = (CUcontext)self.current;
	stack_pop();
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCurrent(CUcontext handle)
{
	struct context *ctx;
	CUresult res;

	if (!handle) {
		stack_pop();
		return CUDA_SUCCESS;
	}
	res = context_find(handle, &ctx);
	if (res)
		return res;
	if (!self.depth)
		return stack_push(ctx);
	self.current = ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetCurrent(CUcontext *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUcontext)self.current;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetDevice_v2(CUdevice *device, CUcontext handle)
{
	struct context *ctx;
	CUresult res = context_find(handle, &ctx);

	if (res)
		return res;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = ctx->dev->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetDevice(CUdevice *device)
{
	return sim_cuCtxGetDevice_v2(device, NULL);
}

CUresult sim_cuCtxSynchronize_v2(CUcontext handle)
{
	struct context *ctx;
	CUresult res = context_find(handle, &ctx);

	if (!res)
		res = capture_permit_context(ctx);
	if (res)
		return res;
	context_wait(ctx);
	ctx->dev->loose = 0;
	mempool_settle();
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSynchronize(void)
{
	return sim_cuCtxSynchronize_v2(NULL);
}
