/* Queries about a context, and settings that have no effect here. */
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "thread.h"
#include "world.h"

/* The context of a handle, or the current one for NULL, if the call's other
 * arguments are right. */
static CUresult find(CUcontext handle, bool right, struct context **ctx)
{
	CUresult res = context_find(handle, ctx);

	return !res && !right ? CUDA_ERROR_INVALID_VALUE : res;
}

CUresult sim_cuCtxGetId(CUcontext handle, unsigned long long *id)
{
	struct context *ctx;
	CUresult res = find(handle, id, &ctx);

	if (!res)
		*id = ctx->id;
	return res;
}

CUresult sim_cuCtxGetFlags(unsigned *flags)
{
	struct context *ctx;
	CUresult res = find(NULL, flags, &ctx);

	if (!res)
		*flags = ctx->flags;
	return res;
}

CUresult sim_cuCtxSetFlags(unsigned flags)
{
	struct context *ctx;
	CUresult res = find(NULL, !(flags & ~CU_CTX_FLAGS_MASK), &ctx);

	if (!res)
		ctx->flags = flags;
	return res;
}

CUresult sim_cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
	struct context *ctx;
	CUresult res = find(handle, version, &ctx);

	if (!res)
		*version = ctx->api_version;
	return res;
}

CUresult sim_cuCtxGetLimit(size_t *value, CUlimit limit)
{
	struct context *ctx;
	CUresult res =
		find(NULL, value && (unsigned)limit < CONTEXT_LIMITS, &ctx);

	if (!res)
		*value = ctx->limits[limit];
	return res;
}

CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value)
{
	struct context *ctx;
	CUresult res = find(NULL, (unsigned)limit < CONTEXT_LIMITS, &ctx);

	if (!res && limit == CU_LIMIT_MALLOC_HEAP_SIZE && ctx->heap)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		ctx->limits[limit] = value;
	return res;
}

CUresult sim_cuCtxGetCacheConfig(CUfunc_cache *config)
{
	struct context *ctx;
	CUresult res = find(NULL, config, &ctx);

	if (!res)
		*config = ctx->cache;
	return res;
}

CUresult sim_cuCtxSetCacheConfig(CUfunc_cache config)
{
	struct context *ctx;
	CUresult res = find(NULL, config <= CU_FUNC_CACHE_PREFER_EQUAL, &ctx);

	if (!res)
		ctx->cache = config;
	return res;
}

/* The banks are of a fixed size since compute capability 5.0. */
CUresult sim_cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	struct context *ctx;
	CUresult res = find(NULL, config, &ctx);

	if (!res)
		*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return res;
}

CUresult sim_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	struct context *ctx;

	return find(NULL, config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
		    &ctx);
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
