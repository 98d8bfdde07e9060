/* UMF's disjoint pool over its CUDA provider, with device memory. By default it
 * gives blocks above 2 MiB and the fifth idle one of a size back to the driver.
 * It cuts small blocks from slabs, of which one idle one stays. With
 * BENCH_KIND=keep it keeps every block, from 256 bytes on, as device memory is
 * aligned to that. BENCH_KIND=provider is the provider alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <umf/memory_pool.h>
#include <umf/pools/pool_disjoint.h>
#include <umf/pools/pool_proxy.h>
#include <umf/providers/provider_cuda.h>

#include "../allocator.h"

static umf_memory_pool_handle_t pool;

static int failed(const char *what, int res)
{
	if (res)
		fprintf(stderr, "umf: %s: error %d\n", what, res);
	return res;
}

static int context_open(CUcontext *ctx)
{
	CUdevice dev;

	return failed("cuInit", cuInit(0)) ||
	       failed("cuDeviceGet", cuDeviceGet(&dev, 0)) ||
	       failed("cuDevicePrimaryCtxRetain",
		      cuDevicePrimaryCtxRetain(ctx, dev)) ||
	       failed("cuCtxSetCurrent", cuCtxSetCurrent(*ctx));
}

static int provider_open(CUcontext ctx, umf_memory_provider_handle_t *provider)
{
	umf_cuda_memory_provider_params_handle_t params;
	int res;

	if (failed("provider's parameters",
		   umfCUDAMemoryProviderParamsCreate(&params)))
		return 1;
	res = failed("context",
		     umfCUDAMemoryProviderParamsSetContext(params, ctx)) ||
	      failed("device",
		     umfCUDAMemoryProviderParamsSetDevice(params, 0)) ||
	      failed("kind of memory",
		     umfCUDAMemoryProviderParamsSetMemoryType(
			     params, UMF_MEMORY_TYPE_DEVICE)) ||
	      failed("provider",
		     umfMemoryProviderCreate(umfCUDAMemoryProviderOps(), params,
					     provider));
	umfCUDAMemoryProviderParamsDestroy(params);
	return res;
}

static int pool_keep(umf_disjoint_pool_params_handle_t params)
{
	enum { ALIGNMENT = 256 };

	return failed("largest size", umfDisjointPoolParamsSetMaxPoolableSize(
					      params, (size_t)1 << 40)) ||
	       failed("capacity", umfDisjointPoolParamsSetCapacity(
					  params, (size_t)1 << 30)) ||
	       failed("smallest slab",
		      umfDisjointPoolParamsSetSlabMinSize(params, ALIGNMENT)) ||
	       failed("smallest size",
		      umfDisjointPoolParamsSetMinBucketSize(params, ALIGNMENT));
}

static int disjoint_open(umf_memory_provider_handle_t provider, int keep)
{
	umf_disjoint_pool_params_handle_t params;
	int res;

	if (failed("pool's parameters", umfDisjointPoolParamsCreate(&params)))
		return 1;
	res = (keep && pool_keep(params)) ||
	      failed("pool",
		     umfPoolCreate(umfDisjointPoolOps(), provider, params,
				   UMF_POOL_CREATE_FLAG_OWN_PROVIDER, &pool));
	umfDisjointPoolParamsDestroy(params);
	return res;
}

static int pool_open(umf_memory_provider_handle_t provider)
{
	const char *kind = getenv("BENCH_KIND");

	if (!kind || !strcmp(kind, "keep"))
		return disjoint_open(provider, kind != NULL);
	if (!strcmp(kind, "provider"))
		return failed("pool",
			      umfPoolCreate(umfProxyPoolOps(), provider, NULL,
					    UMF_POOL_CREATE_FLAG_OWN_PROVIDER,
					    &pool));
	fprintf(stderr, "umf: BENCH_KIND=%s: keep, provider, or not set\n",
		kind);
	return 1;
}

int bench_open(void)
{
	umf_memory_provider_handle_t provider;
	CUcontext ctx;

	return context_open(&ctx) || provider_open(ctx, &provider) ||
	       pool_open(provider);
}

void *bench_alloc(size_t size)
{
	return umfPoolMalloc(pool, size);
}

void bench_free(void *ptr, size_t size)
{
	(void)size;
	umfPoolFree(pool, ptr);
}

const char *bench_version(void)
{
	return PEER_VERSION;
}
