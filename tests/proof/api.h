/* The driver's entries, by the ways in which a program gets them: by their
 * exported names, or from cuGetProcAddress, as a runtime does, also with
 * per-thread streams. */
#ifndef TESTS_PROOF_API_H
#define TESTS_PROOF_API_H

#include <cuda.h>

#include "program.h"

/* cuda.h declares only newer forms of it. */
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);

/* API(symbol, name, version, has a per-thread form) */
#define API_LIST \
	API(cuInit, "cuInit", 2000, 0) \
	API(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000, 0) \
	API(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, \
	    0) \
	API(cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState", 7000, 0) \
	API(cuCtxCreate_v2, "cuCtxCreate", 3020, 0) \
	API(cuCtxDestroy_v2, "cuCtxDestroy", 4000, 0) \
	API(cuCtxSetCurrent, "cuCtxSetCurrent", 4000, 0) \
	API(cuCtxSynchronize, "cuCtxSynchronize", 2000, 0) \
	API(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", 4000, 0) \
	API(cuModuleLoadData, "cuModuleLoadData", 2000, 0) \
	API(cuModuleGetFunction, "cuModuleGetFunction", 2000, 0) \
	API(cuMemAlloc_v2, "cuMemAlloc", 3020, 0) \
	API(cuMemFree_v2, "cuMemFree", 3020, 0) \
	API(cuMemAllocManaged, "cuMemAllocManaged", 6000, 0) \
	API(cuMemGetAccess, "cuMemGetAccess", 10020, 0) \
	API(cuMemAllocAsync, "cuMemAllocAsync", 11020, 1) \
	API(cuMemFreeAsync, "cuMemFreeAsync", 11020, 1) \
	API(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", 11020, 0) \
	API(cuDeviceSetMemPool, "cuDeviceSetMemPool", 11020, 0) \
	API(cuMemPoolCreate, "cuMemPoolCreate", 11020, 0) \
	API(cuMemPoolDestroy, "cuMemPoolDestroy", 11020, 0) \
	API(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", 11020, 0) \
	API(cuMemPoolTrimTo, "cuMemPoolTrimTo", 11020, 0) \
	API(cuMemPoolGetAttribute, "cuMemPoolGetAttribute", 11020, 0) \
	API(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", 11020, 1) \
	API(cuMemHostAlloc, "cuMemHostAlloc", 2020, 0) \
	API(cuMemFreeHost, "cuMemFreeHost", 2000, 0) \
	API(cuLaunchKernel, "cuLaunchKernel", 4000, 1) \
	API(cuMemsetD32Async, "cuMemsetD32Async", 3020, 1) \
	API(cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync", 3020, 1) \
	API(cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync", 3020, 1) \
	API(cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync", 3020, 1) \
	API(cuStreamCreate, "cuStreamCreate", 2000, 0) \
	API(cuStreamDestroy_v2, "cuStreamDestroy", 4000, 0) \
	API(cuStreamSynchronize, "cuStreamSynchronize", 2000, 1) \
	API(cuStreamQuery, "cuStreamQuery", 2000, 1) \
	API(cuStreamWaitEvent, "cuStreamWaitEvent", 3020, 1) \
	API(cuEventCreate, "cuEventCreate", 2000, 0) \
	API(cuEventDestroy_v2, "cuEventDestroy", 4000, 0) \
	API(cuEventRecord, "cuEventRecord", 2000, 1) \
	API(cuEventQuery, "cuEventQuery", 2000, 0) \
	API(cuEventSynchronize, "cuEventSynchronize", 2000, 0) \
	API(cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010, 1) \
	API(cuStreamEndCapture, "cuStreamEndCapture", 10000, 1) \
	API(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040, \
	    0) \
	API(cuGraphCreate, "cuGraphCreate", 10000, 0) \
	API(cuGraphAddMemsetNode, "cuGraphAddMemsetNode", 10000, 0) \
	API(cuGraphAddMemcpyNode, "cuGraphAddMemcpyNode", 10000, 0) \
	API(cuGraphAddKernelNode_v2, "cuGraphAddKernelNode", 12000, 0) \
	API(cuDeviceGetDevResource, "cuDeviceGetDevResource", 12040, 0) \
	API(cuDevSmResourceSplitByCount, "cuDevSmResourceSplitByCount", 12040, \
	    0) \
	API(cuDevResourceGenerateDesc, "cuDevResourceGenerateDesc", 12040, 0) \
	API(cuGreenCtxCreate, "cuGreenCtxCreate", 12040, 0) \
	API(cuGreenCtxDestroy, "cuGreenCtxDestroy", 12040, 0) \
	API(cuGreenCtxStreamCreate, "cuGreenCtxStreamCreate", 12050, 0) \
	API(cuGraphLaunch, "cuGraphLaunch", 10000, 1) \
	API(cuGraphExecDestroy, "cuGraphExecDestroy", 10000, 0) \
	API(cuGraphDestroy, "cuGraphDestroy", 10000, 0)

struct api {
#define API(symbol, name, version, twin) __typeof__(symbol) *symbol;
	API_LIST
#undef API
	/* The simulation's checker; NULL if the driver has none. */
	void (*sim_own)(unsigned long long addr, size_t size,
			const char *label);
	void (*sim_own_device)(unsigned long long addr, size_t size,
			       const char *label);
	void (*sim_disown)(unsigned long long addr);
	unsigned long (*sim_violations)(void);
};

/* Loads the driver; the environment has to be set before. Returns false after
 * it has said on stderr what is missing. */
bool api_open(struct api *api, enum door door);

#endif
