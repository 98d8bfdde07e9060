/* Queries about a context, and settings that have no effect here. */
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "thread.h"
#include "world.h"

CUresult sim_cuCtxGetId(CUcontext handle, unsigned long long *id)
{
	struct context *ctx;
	CUresult res = context_find(handle, &ctx);

	if (res)
		return res;
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	*id = ctx->id;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetFlags(unsigned *flags)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = ctx->flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetFlags(unsigned flags)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (flags & ~CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	ctx->flags = flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
	struct context *ctx;
	CUresult res = context_find(handle, &ctx);

	if (res)
		return res;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = ctx->api_version;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetLimit(size_t *value, CUlimit limit)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!value || (unsigned)limit >= CONTEXT_LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	*value = ctx->limits[limit];
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if ((unsigned)limit >= CONTEXT_LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	ctx->limits[limit] = value;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetCacheConfig(CUfunc_cache *config)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = ctx->cache;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCacheConfig(CUfunc_cache config)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	ctx->cache = config;
	return CUDA_SUCCESS;
}

/* The banks are of a fixed size since compute capability 5.0. */
CUresult sim_cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (!res && config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		res = CUDA_ERROR_INVALID_VALUE;
	return res;
}

CUresult sim_cuCtxResetPersistingL2Cache(void)
{
	struct context *ctx;

	return context_current(&ctx);
}

/* There is no profiler, but programs mark their regions all the same. */
CUresult sim_cuProfilerStart(void)
{
	struct context *ctx;

	return context_current(&ctx);
}

CUresult sim_cuProfilerStop(void)
{
	struct context *ctx;

	return context_current(&ctx);
}

CUresult sim_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	struct context *ctx, *other;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	res = context_find(peer, &other);
	if (res)
		return res;
	if (ctx->dev == other->dev)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (ctx->peers >> other->dev->ordinal & 1)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	ctx->peers |= 1ull << other->dev->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuCtxDisablePeerAccess(CUcontext peer)
{
	struct context *ctx, *other;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	res = context_find(peer, &other);
	if (res)
		return res;
	if (!(ctx->peers >> other->dev->ordinal & 1))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	ctx->peers &= ~(1ull << other->dev->ordinal);
	return CUDA_SUCCESS;
}
