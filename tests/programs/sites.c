/* Asks for memory of each kind and frees it, each time in a function of its
 * own. Prints where these functions are: NAME ADDRESS. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 1 << 20, ROW = 1 << 10 };

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *addr, size_t size, CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *addr, size_t size,
				      CUmemoryPool pool, CUstream stream);
cudaError_t cudaMallocAsync_ptsz(void **ptr, size_t size, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync_ptsz(void **ptr, size_t size,
					 cudaMemPool_t pool,
					 cudaStream_t stream);
cudaError_t cudaFreeAsync_ptsz(void *ptr, cudaStream_t stream);

static size_t pitch;
static CUmemoryPool pool;
static const struct cudaChannelFormatDesc texel = {32, 0, 0, 0,
						   cudaChannelFormatKindFloat};
static const struct cudaExtent extent = {ROW, ROW / 4, 1};
static const CUDA_ARRAY_DESCRIPTOR flat = {ROW, ROW, CU_AD_FORMAT_FLOAT, 1};
static const CUDA_ARRAY3D_DESCRIPTOR deep = {ROW, ROW, 1, CU_AD_FORMAT_FLOAT,
					     1,   0};
static const CUmemAllocationProp physical = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

__attribute__((always_inline)) static inline int pitched_3d(void *out)
{
	struct cudaPitchedPtr got;
	int res = (int)cudaMalloc3D(&got, extent);

	memcpy(out, &got.ptr, sizeof(got.ptr));
	return res;
}

/* CALL(name, take, give): `at` has the handle. */
#define DRIVER_FREE  cuMemFree_v2(*at)
#define RUNTIME_FREE cudaFree(*ptr)
/* clang-format off */
#define CALLS \
CALL(driver, cuMemAlloc_v2(at, SIZE), DRIVER_FREE) \
CALL(driver_async, cuMemAllocAsync(at, SIZE, NULL), cuMemFreeAsync(*at, NULL)) \
CALL(driver_async_own, cuMemAllocAsync_ptsz(at, SIZE, NULL), cuMemFreeAsync_ptsz(*at, NULL)) \
CALL(driver_pool, cuMemAllocFromPoolAsync(at, SIZE, pool, NULL), cuMemFreeAsync(*at, NULL)) \
CALL(driver_pool_own, cuMemAllocFromPoolAsync_ptsz(at, SIZE, pool, NULL), cuMemFreeAsync_ptsz(*at, NULL)) \
CALL(driver_pinned, cuMemHostAlloc(ptr, SIZE, 0), cuMemFreeHost(*ptr)) \
CALL(driver_host, cuMemAllocHost_v2(ptr, SIZE), cuMemFreeHost(*ptr)) \
CALL(driver_pitch, cuMemAllocPitch_v2(at, &pitch, ROW, ROW, 4), DRIVER_FREE) \
CALL(driver_managed, cuMemAllocManaged(at, SIZE, CU_MEM_ATTACH_GLOBAL), DRIVER_FREE) \
CALL(driver_array, cuArrayCreate_v2((CUarray *)at, &flat), cuArrayDestroy((CUarray)*at)) \
CALL(driver_array3d, cuArray3DCreate_v2((CUarray *)at, &deep), cuArrayDestroy((CUarray)*at)) \
CALL(driver_mipmap, cuMipmappedArrayCreate((CUmipmappedArray *)at, &deep, 1), cuMipmappedArrayDestroy((CUmipmappedArray)*at)) \
CALL(driver_virtual, cuMemCreate(at, 2 * SIZE, &physical, 0), cuMemRelease(*at)) \
CALL(runtime, cudaMalloc(ptr, SIZE), RUNTIME_FREE) \
CALL(runtime_async, cudaMallocAsync(ptr, SIZE, NULL), cudaFreeAsync(*ptr, NULL)) \
CALL(runtime_async_own, cudaMallocAsync_ptsz(ptr, SIZE, NULL), cudaFreeAsync_ptsz(*ptr, NULL)) \
CALL(runtime_pool, cudaMallocFromPoolAsync(ptr, SIZE, pool, NULL), cudaFreeAsync(*ptr, NULL)) \
CALL(runtime_pool_own, cudaMallocFromPoolAsync_ptsz(ptr, SIZE, pool, NULL), cudaFreeAsync_ptsz(*ptr, NULL)) \
CALL(runtime_pinned, cudaHostAlloc(ptr, SIZE, 0), cudaFreeHost(*ptr)) \
CALL(runtime_host, cudaMallocHost(ptr, SIZE), cudaFreeHost(*ptr)) \
CALL(runtime_pitch, cudaMallocPitch(ptr, &pitch, ROW, ROW), RUNTIME_FREE) \
CALL(runtime_3d, pitched_3d(ptr), RUNTIME_FREE) \
CALL(runtime_managed, cudaMallocManaged(ptr, SIZE, cudaMemAttachGlobal), RUNTIME_FREE) \
CALL(runtime_array, cudaMallocArray((cudaArray_t *)ptr, &texel, ROW, ROW, 0), cudaFreeArray((cudaArray_t)*ptr)) \
CALL(runtime_array3d, cudaMalloc3DArray((cudaArray_t *)ptr, &texel, extent, 0), cudaFreeArray((cudaArray_t)*ptr)) \
CALL(runtime_mipmap, cudaMallocMipmappedArray((cudaMipmappedArray_t *)ptr, &texel, extent, 1, 0), cudaFreeMipmappedArray((cudaMipmappedArray_t)*ptr))
/* clang-format on */

/* What follows the call keeps it from being the function's jump. */
#define FUNCTION(name, call) \
	__attribute__((noinline)) static int name(CUdeviceptr *at) \
	{ \
		void **ptr = (void **)at; \
		int res = (int)(call); \
\
		(void)ptr; \
		__asm__ volatile("" : "+r"(res)); \
		return res; \
	}
#define CALL(name, take, give) \
	FUNCTION(take_##name, take) \
	FUNCTION(give_##name, give)
CALLS
#undef CALL

static const struct row {
	const char *name;
	int (*call)(CUdeviceptr *at);
} rows[] = {
#define CALL(name, take, give) \
	{"take_" #name, take_##name}, {"give_" #name, give_##name},
	CALLS
#undef CALL
	{NULL, NULL},
};

int main(void)
{
	CUdeviceptr handle = 0;
	int wrong = 0, res;

	cudaFree(NULL);
	if (cuDeviceGetDefaultMemPool(&pool, 0))
		return 1;
	for (const struct row *row = rows; row->name; row++) {
		res = row->call(&handle);
		if (res)
			fprintf(stderr, "%s: %d\n", row->name, res);
		wrong |= res;
		printf("%s %#lx\n", row->name, (unsigned long)row->call);
	}
	return wrong != 0;
}
