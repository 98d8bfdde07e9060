/* CUDA's entries that are hooked, and those that we call ourselves. */
#ifndef MNM_HOOK_LIST_H
#define MNM_HOOK_LIST_H

/* Entries that we call but don't hook: USED(symbol). */
/* clang-format off */
#define DRIVER_USED_LIST \
USED(cuCtxFromGreenCtx) \
USED(cuCtxGetApiVersion) \
USED(cuCtxGetCurrent) \
USED(cuCtxGetDevice) \
USED(cuDeviceGetAttribute) \
USED(cuDeviceGetDefaultMemPool) \
USED(cuDeviceGetMemPool) \
USED(cuDevicePrimaryCtxGetState) \
USED(cuDeviceTotalMem_v2) \
USED(cuDriverGetVersion) \
USED(cuGetErrorName) \
USED(cuMemAddressFree) \
USED(cuMemGetAllocationGranularity) \
USED(cuStreamGetCtx) \
USED(cuStreamGetFlags) \
USED(cuStreamIsCapturing) \
USED(cuStreamIsCapturing_ptsz) \
USED(cuThreadExchangeStreamCaptureMode)

/* Entries that we hook. HOOK(symbol, name, from, until): cuGetProcAddress hands
 * the symbol out for this name and a version in [from, until). With the flag
 * for the per-thread default stream it hands out the symbol's _ptsz or _ptds
 * twin. The twin's own row has an empty range, at its first version. The first
 * three lists are those of the entries that queue work, of those that may do so
 * unseen (stream_order.h), and of those that only take memory (room.h). */
#define DRIVER_HOOK_LIST DRIVER_WORK_LIST DRIVER_OPAQUE_LIST DRIVER_ROOM_LIST \
HOOK(cuGetProcAddress, "cuGetProcAddress", 11030, 12000) \
HOOK(cuGetProcAddress_v2, "cuGetProcAddress", 12000, VERSION_MAX) \
HOOK(cuMemAlloc_v2, "cuMemAlloc", 3020, VERSION_MAX) \
HOOK(cuMemFree_v2, "cuMemFree", 3020, VERSION_MAX) \
HOOK(cuMemFreeAsync, "cuMemFreeAsync", 11020, VERSION_MAX) \
HOOK(cuMemFreeAsync_ptsz, "cuMemFreeAsync", 11020, 11020) \
HOOK(cuMemHostAlloc, "cuMemHostAlloc", 2020, VERSION_MAX) \
HOOK(cuMemAllocHost_v2, "cuMemAllocHost", 3020, VERSION_MAX) \
HOOK(cuMemFreeHost, "cuMemFreeHost", 2000, VERSION_MAX) \
HOOK(cuMemAllocPitch_v2, "cuMemAllocPitch", 3020, VERSION_MAX) \
HOOK(cuMemAllocManaged, "cuMemAllocManaged", 6000, VERSION_MAX) \
HOOK(cuMemAllocAsync, "cuMemAllocAsync", 11020, VERSION_MAX) \
HOOK(cuMemAllocAsync_ptsz, "cuMemAllocAsync", 11020, 11020) \
HOOK(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", 11020, VERSION_MAX) \
HOOK(cuMemAllocFromPoolAsync_ptsz, "cuMemAllocFromPoolAsync", 11020, 11020) \
HOOK(cuMemPoolCreate, "cuMemPoolCreate", 11020, VERSION_MAX) \
HOOK(cuMemPoolDestroy, "cuMemPoolDestroy", 11020, VERSION_MAX) \
HOOK(cuMemPoolGetAttribute, "cuMemPoolGetAttribute", 11020, VERSION_MAX) \
HOOK(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", 11020, VERSION_MAX) \
HOOK(cuMemPoolSetAccess, "cuMemPoolSetAccess", 11020, VERSION_MAX) \
HOOK(cuMemPoolTrimTo, "cuMemPoolTrimTo", 11020, VERSION_MAX) \
HOOK(cuMemPoolImportPointer, "cuMemPoolImportPointer", 11020, VERSION_MAX) \
HOOK(cuDeviceSetMemPool, "cuDeviceSetMemPool", 11020, VERSION_MAX) \
HOOK(cuMemSetMemPool, "cuMemSetMemPool", 13000, VERSION_MAX) \
HOOK(cuMemGetDefaultMemPool, "cuMemGetDefaultMemPool", 13000, VERSION_MAX) \
HOOK(cuMemGetMemPool, "cuMemGetMemPool", 13000, VERSION_MAX) \
HOOK(cuEventRecord, "cuEventRecord", 2000, VERSION_MAX) \
HOOK(cuEventRecord_ptsz, "cuEventRecord", 7000, 7000) \
HOOK(cuEventRecordWithFlags, "cuEventRecordWithFlags", 11010, VERSION_MAX) \
HOOK(cuEventRecordWithFlags_ptsz, "cuEventRecordWithFlags", 11010, 11010) \
HOOK(cuStreamWaitEvent, "cuStreamWaitEvent", 3020, VERSION_MAX) \
HOOK(cuStreamWaitEvent_ptsz, "cuStreamWaitEvent", 7000, 7000) \
HOOK(cuEventSynchronize, "cuEventSynchronize", 2000, VERSION_MAX) \
HOOK(cuEventQuery, "cuEventQuery", 2000, VERSION_MAX) \
HOOK(cuEventDestroy, "cuEventDestroy", 2000, 4000) \
HOOK(cuEventDestroy_v2, "cuEventDestroy", 4000, VERSION_MAX) \
HOOK(cuCtxRecordEvent, "cuCtxRecordEvent", 12050, VERSION_MAX) \
HOOK(cuGreenCtxRecordEvent, "cuGreenCtxRecordEvent", 12040, VERSION_MAX) \
HOOK(cuIpcGetEventHandle, "cuIpcGetEventHandle", 4010, VERSION_MAX) \
HOOK(cuIpcOpenEventHandle, "cuIpcOpenEventHandle", 4010, VERSION_MAX) \
HOOK(cuGraphAddEventRecordNode, "cuGraphAddEventRecordNode", 11010, VERSION_MAX) \
HOOK(cuGraphEventRecordNodeSetEvent, "cuGraphEventRecordNodeSetEvent", 11010, VERSION_MAX) \
HOOK(cuGraphExecEventRecordNodeSetEvent, "cuGraphExecEventRecordNodeSetEvent", 11010, VERSION_MAX) \
HOOK(cuStreamCreate, "cuStreamCreate", 2000, VERSION_MAX) \
HOOK(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", 5050, VERSION_MAX) \
HOOK(cuArrayCreate_v2, "cuArrayCreate", 3020, VERSION_MAX) \
HOOK(cuArray3DCreate_v2, "cuArray3DCreate", 3020, VERSION_MAX) \
HOOK(cuArrayDestroy, "cuArrayDestroy", 2000, VERSION_MAX) \
HOOK(cuMipmappedArrayCreate, "cuMipmappedArrayCreate", 5000, VERSION_MAX) \
HOOK(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", 5000, VERSION_MAX) \
HOOK(cuMemCreate, "cuMemCreate", 10020, VERSION_MAX) \
HOOK(cuMemRelease, "cuMemRelease", 10020, VERSION_MAX) \
HOOK(cuMemRetainAllocationHandle, "cuMemRetainAllocationHandle", 11000, VERSION_MAX) \
HOOK(cuMemMap, "cuMemMap", 10020, VERSION_MAX) \
HOOK(cuMemUnmap, "cuMemUnmap", 10020, VERSION_MAX) \
HOOK(cuMemSetAccess, "cuMemSetAccess", 10020, VERSION_MAX) \
HOOK(cuImportExternalMemory, "cuImportExternalMemory", 10000, VERSION_MAX) \
HOOK(cuDestroyExternalMemory, "cuDestroyExternalMemory", 10000, VERSION_MAX) \
HOOK(cuIpcOpenMemHandle, "cuIpcOpenMemHandle", 4010, 11000) \
HOOK(cuIpcOpenMemHandle_v2, "cuIpcOpenMemHandle", 11000, VERSION_MAX) \
HOOK(cuIpcCloseMemHandle, "cuIpcCloseMemHandle", 4010, VERSION_MAX) \
HOOK(cuMemGetAddressRange_v2, "cuMemGetAddressRange", 3020, VERSION_MAX) \
HOOK(cuMemHostGetDevicePointer_v2, "cuMemHostGetDevicePointer", 3020, VERSION_MAX) \
HOOK(cuMemHostGetFlags, "cuMemHostGetFlags", 2030, VERSION_MAX) \
HOOK(cuPointerGetAttribute, "cuPointerGetAttribute", 4000, VERSION_MAX) \
HOOK(cuPointerGetAttributes, "cuPointerGetAttributes", 7000, VERSION_MAX) \
HOOK(cuPointerSetAttribute, "cuPointerSetAttribute", 6000, VERSION_MAX) \
HOOK(cuMemGetInfo_v2, "cuMemGetInfo", 3020, VERSION_MAX) \
HOOK(cuCtxCreate, "cuCtxCreate", 2000, 3020) \
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
HOOK(cuCtxSynchronize, "cuCtxSynchronize", 2000, 13000) \
HOOK(cuCtxSynchronize_v2, "cuCtxSynchronize", 13000, VERSION_MAX) \
HOOK(cuGreenCtxCreate, "cuGreenCtxCreate", 12040, VERSION_MAX) \
HOOK(cuGreenCtxDestroy, "cuGreenCtxDestroy", 12040, VERSION_MAX) \
HOOK(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", 4000, VERSION_MAX) \
HOOK(cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess", 4000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", 7000, 11000) \
HOOK(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, VERSION_MAX) \
HOOK(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset", 7000, 11000) \
HOOK(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000, VERSION_MAX) \
HOOK(cuIpcGetMemHandle, "cuIpcGetMemHandle", 4010, VERSION_MAX) \
HOOK(cuLaunchKernelEx, "cuLaunchKernelEx", 11060, VERSION_MAX) \
HOOK(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", 11060, 11060) \
HOOK(cuMemGetHandleForAddressRange, "cuMemGetHandleForAddressRange", 11070, VERSION_MAX) \
HOOK(cuMulticastBindAddr, "cuMulticastBindAddr", 12010, VERSION_MAX) \
HOOK(cuStreamQuery, "cuStreamQuery", 2000, VERSION_MAX) \
HOOK(cuStreamQuery_ptsz, "cuStreamQuery", 7000, 7000) \
HOOK(cuStreamSynchronize, "cuStreamSynchronize", 2000, VERSION_MAX) \
HOOK(cuStreamSynchronize_ptsz, "cuStreamSynchronize", 7000, 7000) \
HOOK(cuStreamDestroy, "cuStreamDestroy", 2000, 4000) \
HOOK(cuStreamDestroy_v2, "cuStreamDestroy", 4000, VERSION_MAX) \
HOOK(cuStreamBeginCapture, "cuStreamBeginCapture", 10000, 10010) \
HOOK(cuStreamBeginCapture_ptsz, "cuStreamBeginCapture", 10000, 10000) \
HOOK(cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010, VERSION_MAX) \
HOOK(cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture", 10010, 10010) \
HOOK(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", 12030, VERSION_MAX) \
HOOK(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph", 12030, 12030) \
HOOK(cuStreamEndCapture, "cuStreamEndCapture", 10000, VERSION_MAX) \
HOOK(cuStreamEndCapture_ptsz, "cuStreamEndCapture", 10000, 10000) \
HOOK(cuGraphCreate, "cuGraphCreate", 10000, VERSION_MAX) \
HOOK(cuGraphDestroy, "cuGraphDestroy", 10000, VERSION_MAX) \
HOOK(cuGraphDestroyNode, "cuGraphDestroyNode", 10000, VERSION_MAX) \
HOOK(cuGraphClone, "cuGraphClone", 10000, VERSION_MAX) \
HOOK(cuGraphAddChildGraphNode, "cuGraphAddChildGraphNode", 10000, VERSION_MAX) \
HOOK(cuGraphChildGraphNodeGetGraph, "cuGraphChildGraphNodeGetGraph", 10000, VERSION_MAX) \
HOOK(cuGraphAddNode, "cuGraphAddNode", 12020, 12030) \
HOOK(cuGraphAddNode_v2, "cuGraphAddNode", 12030, VERSION_MAX) \
HOOK(cuGraphInstantiate, "cuGraphInstantiate", 10000, 11000) \
HOOK(cuGraphInstantiate_v2, "cuGraphInstantiate", 11000, 12000) \
HOOK(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040, VERSION_MAX) \
HOOK(cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams", 12000, VERSION_MAX) \
HOOK(cuGraphInstantiateWithParams_ptsz, "cuGraphInstantiateWithParams", 12000, 12000) \
HOOK(cuGraphExecUpdate, "cuGraphExecUpdate", 10020, 12000) \
HOOK(cuGraphExecUpdate_v2, "cuGraphExecUpdate", 12000, VERSION_MAX) \
HOOK(cuGraphExecChildGraphNodeSetParams, "cuGraphExecChildGraphNodeSetParams", 11010, VERSION_MAX) \
HOOK(cuGraphExecDestroy, "cuGraphExecDestroy", 10000, VERSION_MAX)

#define RUNTIME_USED_LIST \
USED(cudaRuntimeGetVersion)

#define RUNTIME_HOOK_LIST \
HOOK(cudaMalloc, "", 0, 0) \
HOOK(cudaFree, "", 0, 0) \
HOOK(cudaMallocAsync, "", 0, 0) \
HOOK(cudaMallocAsync_ptsz, "", 0, 0) \
HOOK(cudaMallocFromPoolAsync, "", 0, 0) \
HOOK(cudaMallocFromPoolAsync_ptsz, "", 0, 0) \
HOOK(cudaFreeAsync, "", 0, 0) \
HOOK(cudaFreeAsync_ptsz, "", 0, 0) \
HOOK(cudaDeviceReset, "", 0, 0) \
HOOK(cudaMemGetInfo, "", 0, 0) \
HOOK(cudaPointerGetAttributes, "", 0, 0)
/* clang-format on */

#endif
