/* Green contexts: parts of a device's processors, each with streams of its own,
 * in the memory of the primary context. How many processors a part has makes no
 * difference here. */
#include <stdlib.h>

#include "clock.h"
#include "context.h"
#include "entries.h"
#include "stream.h"
#include "world.h"

enum { SM_LEAST = 2 }; /* in a part; documented as a device property */

/* No call ends a descriptor, so all of them are kept. */
struct CUdevResourceDesc_st {
	CUdevResource resource;
	struct CUdevResourceDesc_st *next;
};

static struct CUdevResourceDesc_st *descriptors;

static CUdevResource resource_of(unsigned int count)
{
	CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_SM};

	resource.sm.smCount = count;
	resource.sm.minSmPartitionSize = SM_LEAST;
	resource.sm.smCoscheduledAlignment = SM_LEAST;
	return resource;
}

CUresult sim_cuDeviceGetDevResource(CUdevice device, CUdevResource *out,
				    CUdevResourceType type)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*out = resource_of((unsigned int)world.profile.multiprocessors);
	return CUDA_SUCCESS;
}

CUresult sim_cuDevSmResourceSplitByCount(CUdevResource *out,
					 unsigned int *groups,
					 const CUdevResource *input,
					 CUdevResource *rest,
					 unsigned int flags, unsigned int least)
{
	unsigned int size, most;

	if (!groups || !input || flags & ~3u)
		return CUDA_ERROR_INVALID_VALUE;
	if (input->type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	size = least < SM_LEAST ? SM_LEAST
				: (least + SM_LEAST - 1) & ~(SM_LEAST - 1u);
	most = input->sm.smCount / size;
	if (!most)
		return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
	if (!out || *groups > most)
		*groups = most;
	for (unsigned int i = 0; out && i < *groups; i++)
		out[i] = resource_of(size);
	if (rest)
		*rest = resource_of(input->sm.smCount - *groups * size);
	return CUDA_SUCCESS;
}

CUresult sim_cuDevResourceGenerateDesc(CUdevResourceDesc *out,
				       CUdevResource *resources,
				       unsigned int count)
{
	unsigned int sum = 0;

	if (!out || !resources || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < count; i++) {
		if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM)
			return CUDA_ERROR_INVALID_RESOURCE_TYPE;
		sum += resources[i].sm.smCount;
	}
	*out = malloc(sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->resource = resource_of(sum);
	(*out)->next = descriptors;
	descriptors = *out;
	return CUDA_SUCCESS;
}

/* The green context of a handle from the program. */
static CUresult green_find(CUgreenCtx handle, struct context **out)
{
	CUresult res;

	if (!handle)
		return CUDA_ERROR_INVALID_CONTEXT;
	res = context_find((CUcontext)handle, out);
	if (res)
		return res;
	return (*out)->green_of ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* Without a descriptor it has all multiprocessors. */
CUresult sim_cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc desc,
			      CUdevice device, unsigned int flags)
{
	struct context *ctx;
	struct device *dev;
	CUcontext primary;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!out || flags != CU_GREEN_CTX_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	res = sim_cuDevicePrimaryCtxRetain(&primary, device);
	if (res)
		return res;
	ctx = malloc(sizeof(*ctx));
	res = ctx ? context_open(ctx, dev, 0) : CUDA_ERROR_OUT_OF_MEMORY;
	if (res) {
		free(ctx);
		sim_cuDevicePrimaryCtxRelease_v2(device);
		return res;
	}
	ctx->green_of = &dev->primary;
	ctx->processors = desc ? desc->resource.sm.smCount
			       : (unsigned)world.profile.multiprocessors;
	ctx->next = dev->contexts;
	dev->contexts = ctx;
	*out = (CUgreenCtx)ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxDestroy(CUgreenCtx handle)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	if (res)
		return res;
	context_end(ctx);
	return sim_cuDevicePrimaryCtxRelease_v2(ctx->dev->ordinal);
}

CUresult sim_cuCtxFromGreenCtx(CUcontext *out, CUgreenCtx handle)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUcontext)ctx;
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxStreamCreate(CUstream *out, CUgreenCtx handle,
				    unsigned int flags, int priority)
{
	struct stream *stream;
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	if (res)
		return res;
	if (!out || flags != CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	res = stream_open(ctx, flags, priority, &stream);
	if (!res)
		*out = (CUstream)stream;
	return res;
}

CUresult sim_cuGreenCtxRecordEvent(CUgreenCtx handle, CUevent event)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	return res ? res : sim_cuCtxRecordEvent((CUcontext)ctx, event);
}

CUresult sim_cuGreenCtxWaitEvent(CUgreenCtx handle, CUevent event)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	return res ? res : sim_cuCtxWaitEvent((CUcontext)ctx, event);
}

CUresult sim_cuStreamGetGreenCtx(CUstream handle, CUgreenCtx *out)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = stream->ctx->green_of ? (CUgreenCtx)stream->ctx : NULL;
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *out,
				      CUdevResourceType type)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*out = resource_of(ctx->processors);
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxGetId(CUgreenCtx handle, unsigned long long *id)
{
	struct context *ctx;
	CUresult res = green_find(handle, &ctx);

	if (!res && !id)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*id = ctx->id;
	return res;
}

/* A context that is no green one has the whole device. */
CUresult sim_cuCtxGetDevResource(CUcontext handle, CUdevResource *out,
				 CUdevResourceType type)
{
	struct context *ctx;
	CUresult res = context_named(handle, &ctx);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*out = resource_of(ctx->green_of
				   ? ctx->processors
				   : (unsigned)world.profile.multiprocessors);
	return CUDA_SUCCESS;
}
