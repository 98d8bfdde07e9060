/* CUDA's own entries, past our hooks.
 *
 * The driver is whichever libcuda the program has loaded; it is never loaded
 * by us. Only hooks, backing and context start-up may call these. */
#ifndef MNM_REAL_H
#define MNM_REAL_H

/* The header then declares each entry under its exported name. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_runtime_api.h>

/* Entries that we call but don't hook: USED(symbol). */
/* clang-format off */
#define DRIVER_USED_LIST \
USED(cuCtxGetCurrent) \
USED(cuCtxGetDevice) \
USED(cuCtxSynchronize) \
USED(cuDevicePrimaryCtxGetState) \
USED(cuGetErrorName) \
USED(cuThreadExchangeStreamCaptureMode)

/* Entries that we hook. HOOK(symbol, name, from, until): cuGetProcAddress
 * hands the symbol out for this name and a version in [from, until). With the
 * flag for the per-thread default stream it is the symbol's _ptsz twin, whose
 * own row has an empty range. */
#define DRIVER_HOOK_LIST \
HOOK(cuGetProcAddress, "cuGetProcAddress", 11030, 12000) \
HOOK(cuGetProcAddress_v2, "cuGetProcAddress", 12000, VERSION_MAX) \
HOOK(cuMemAlloc_v2, "cuMemAlloc", 3020, VERSION_MAX) \
HOOK(cuMemFree_v2, "cuMemFree", 3020, VERSION_MAX) \
HOOK(cuMemFreeAsync, "cuMemFreeAsync", 11020, VERSION_MAX) \
HOOK(cuMemFreeAsync_ptsz, "cuMemFreeAsync", VERSION_MAX, VERSION_MAX) \
HOOK(cuMemGetInfo_v2, "cuMemGetInfo", 3020, VERSION_MAX) \
HOOK(cuCtxCreate_v2, "cuCtxCreate", 3020, 11040) \
HOOK(cuCtxCreate_v3, "cuCtxCreate", 11040, 12050) \
HOOK(cuCtxCreate_v4, "cuCtxCreate", 12050, VERSION_MAX) \
HOOK(cuCtxDestroy, "cuCtxDestroy", 2000, 4000) \
HOOK(cuCtxDestroy_v2, "cuCtxDestroy", 4000, VERSION_MAX) \
HOOK(cuCtxDetach, "cuCtxDetach", 2000, VERSION_MAX) \
HOOK(cuCtxSetCurrent, "cuCtxSetCurrent", 4000, VERSION_MAX) \
HOOK(cuCtxPushCurrent, "cuCtxPushCurrent", 2000, 4000) \
HOOK(cuCtxPushCurrent_v2, "cuCtxPushCurrent", 4000, VERSION_MAX) \
HOOK(cuCtxPopCurrent, "cuCtxPopCurrent", 2000, 4000) \
HOOK(cuCtxPopCurrent_v2, "cuCtxPopCurrent", 4000, VERSION_MAX) \
HOOK(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", 4000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", 7000, 11000) \
HOOK(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset", 7000, 11000) \
HOOK(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000, VERSION_MAX)

#define RUNTIME_USED_LIST \
USED(cudaRuntimeGetVersion)

#define RUNTIME_HOOK_LIST \
HOOK(cudaMalloc, "", 0, 0) \
HOOK(cudaFree, "", 0, 0) \
HOOK(cudaDeviceReset, "", 0, 0) \
HOOK(cudaMemGetInfo, "", 0, 0)
/* clang-format on */

#define VERSION_MAX 0x7fffffff

struct real_driver {
#define USED(symbol)                    __typeof__(symbol) *symbol;
#define HOOK(symbol, name, from, until) USED(symbol)
	DRIVER_USED_LIST DRIVER_HOOK_LIST
#undef HOOK
#undef USED
};

struct real_runtime {
#define USED(symbol)                    __typeof__(symbol) *symbol;
#define HOOK(symbol, name, from, until) USED(symbol)
	RUNTIME_USED_LIST RUNTIME_HOOK_LIST
#undef HOOK
#undef USED
};

/* NULL while the program has not loaded that library. Members that it lacks
 * are NULL; cuMemAlloc_v2, cuMemFree_v2 and the context's are there. */
const struct real_driver *real_driver(void);
const struct real_runtime *real_runtime(void);

#endif
