/* The driver, opened as NVIDIA's runtime opens it: dlopen, one dlsym of
 * cuGetProcAddress_v2, and all else by name and version. */
#ifndef MNM_SIM_RUNTIME_DRIVER_H
#define MNM_SIM_RUNTIME_DRIVER_H

#include <stdbool.h>

#include <cuda.h>
#include <cudaTypedefs.h>

/* Each row has the name without "cu", the version to ask for, and the version
 * to ask for with the per-thread default stream, or 0 if the entry has no such
 * form. The versions are those that NVIDIA's runtime 13.0 asks for, in its
 * order except for a few pairs. */
/* clang-format off */
#define DRIVER_ENTRIES(ENTRY) \
	ENTRY(DeviceGet,                  2000, 0) \
	ENTRY(DeviceGetCount,             2000, 0) \
	ENTRY(DeviceGetName,              2000, 0) \
	ENTRY(DeviceTotalMem,             3020, 0) \
	ENTRY(DeviceGetAttribute,         2000, 0) \
	ENTRY(DeviceGetP2PAttribute,      8000, 0) \
	ENTRY(DeviceGetHostAtomicCapabilities, 13000, 0) \
	ENTRY(DeviceGetP2PAtomicCapabilities, 13000, 0) \
	ENTRY(DriverGetVersion,           2020, 0) \
	ENTRY(DeviceGetByPCIBusId,        4010, 0) \
	ENTRY(DeviceGetPCIBusId,          4010, 0) \
	ENTRY(DeviceGetUuid,              9020, 0) \
	ENTRY(DeviceGetDefaultMemPool,   11020, 0) \
	ENTRY(DeviceSetMemPool,          11020, 0) \
	ENTRY(DeviceGetMemPool,          11020, 0) \
	ENTRY(DeviceGetTexture1DLinearMaxWidth, 11010, 0) \
	ENTRY(DevicePrimaryCtxRetain,     7000, 0) \
	ENTRY(DevicePrimaryCtxSetFlags,  11000, 0) \
	ENTRY(DevicePrimaryCtxGetState,   7000, 0) \
	ENTRY(DevicePrimaryCtxReset,      7000, 0) \
	ENTRY(CtxGetFlags,                7000, 0) \
	ENTRY(CtxSetCurrent,              4000, 0) \
	ENTRY(CtxGetCurrent,              4000, 0) \
	ENTRY(CtxGetDevice,               2000, 0) \
	ENTRY(CtxGetLimit,                3010, 0) \
	ENTRY(CtxSetLimit,                3010, 0) \
	ENTRY(CtxGetCacheConfig,          3020, 0) \
	ENTRY(CtxSetCacheConfig,          3020, 0) \
	ENTRY(CtxGetSharedMemConfig,     4020, 0) \
	ENTRY(CtxSetSharedMemConfig,     4020, 0) \
	ENTRY(CtxResetPersistingL2Cache, 11000, 0) \
	ENTRY(CtxGetStreamPriorityRange,  5050, 0) \
	ENTRY(CtxSynchronize,             2000, 0) \
	ENTRY(LibraryLoadData,           12000, 0) \
	ENTRY(LibraryLoadFromFile,       12000, 0) \
	ENTRY(LibraryUnload,             12000, 0) \
	ENTRY(LibraryGetKernel,          12000, 0) \
	ENTRY(LibraryGetKernelCount,     12040, 0) \
	ENTRY(LibraryEnumerateKernels,   12040, 0) \
	ENTRY(KernelGetFunction,         12000, 0) \
	ENTRY(KernelSetAttribute,        12000, 0) \
	ENTRY(LibraryGetGlobal,          12000, 0) \
	ENTRY(LibraryGetManaged,         12000, 0) \
	ENTRY(MemGetInfo,                 3020, 0) \
	ENTRY(MemAllocManaged,            6000, 0) \
	ENTRY(MemAlloc,                   3020, 0) \
	ENTRY(MemAllocPitch,              3020, 0) \
	ENTRY(MemFree,                    3020, 0) \
	ENTRY(MemFreeHost,                2000, 0) \
	ENTRY(MemHostAlloc,               2020, 0) \
	ENTRY(MemHostGetDevicePointer,    3020, 0) \
	ENTRY(MemHostGetFlags,            2030, 0) \
	ENTRY(MemHostRegister,            6050, 0) \
	ENTRY(MemHostUnregister,          4000, 0) \
	ENTRY(PointerGetAttributes,       7000, 0) \
	ENTRY(MemAllocAsync,             11020, 11020) \
	ENTRY(MemAllocFromPoolAsync,     11020, 11020) \
	ENTRY(MemFreeAsync,              11020, 11020) \
	ENTRY(MemPoolTrimTo,             11020, 0) \
	ENTRY(MemPoolSetAttribute,       11020, 0) \
	ENTRY(MemPoolGetAttribute,       11020, 0) \
	ENTRY(MemPoolSetAccess,          11020, 0) \
	ENTRY(MemPoolGetAccess,          11020, 0) \
	ENTRY(MemPoolCreate,             11020, 0) \
	ENTRY(MemPoolDestroy,            11020, 0) \
	ENTRY(MemPoolExportToShareableHandle,   11020, 0) \
	ENTRY(MemPoolImportFromShareableHandle, 11020, 0) \
	ENTRY(MemPoolExportPointer,      11020, 0) \
	ENTRY(MemPoolImportPointer,      11020, 0) \
	ENTRY(MemGetDefaultMemPool,      13000, 0) \
	ENTRY(MemGetMemPool,             13000, 0) \
	ENTRY(MemSetMemPool,             13000, 0) \
	ENTRY(Memcpy,                     4000, 7000) \
	ENTRY(MemcpyAsync,                4000, 7000) \
	ENTRY(MemcpyPeer,                 4000, 7000) \
	ENTRY(MemcpyPeerAsync,            4000, 7000) \
	ENTRY(MemcpyHtoD,                 3020, 7000) \
	ENTRY(MemcpyHtoDAsync,            3020, 7000) \
	ENTRY(MemcpyDtoH,                 3020, 7000) \
	ENTRY(MemcpyDtoHAsync,            3020, 7000) \
	ENTRY(MemcpyDtoD,                 3020, 7000) \
	ENTRY(MemcpyDtoDAsync,            3020, 7000) \
	ENTRY(Memcpy2DUnaligned,          3020, 7000) \
	ENTRY(Memcpy2DAsync,              3020, 7000) \
	ENTRY(Memcpy3D,                   3020, 7000) \
	ENTRY(Memcpy3DAsync,              3020, 7000) \
	ENTRY(Memcpy3DPeer,               4000, 7000) \
	ENTRY(Memcpy3DPeerAsync,          4000, 7000) \
	ENTRY(MemcpyBatchAsync,          13000, 13000) \
	ENTRY(Memcpy3DBatchAsync,        13000, 13000) \
	ENTRY(Array3DCreate,              3020, 0) \
	ENTRY(Array3DGetDescriptor,       3020, 0) \
	ENTRY(ArrayDestroy,               2000, 0) \
	ENTRY(MipmappedArrayCreate,       5000, 0) \
	ENTRY(MipmappedArrayGetLevel,     5000, 0) \
	ENTRY(MipmappedArrayDestroy,      5000, 0) \
	ENTRY(ArrayGetSparseProperties,  11010, 0) \
	ENTRY(ArrayGetPlane,             11020, 0) \
	ENTRY(MipmappedArrayGetSparseProperties, 11010, 0) \
	ENTRY(ArrayGetMemoryRequirements, 11060, 0) \
	ENTRY(MipmappedArrayGetMemoryRequirements, 11060, 0) \
	ENTRY(TexObjectCreate,            5000, 0) \
	ENTRY(TexObjectDestroy,           5000, 0) \
	ENTRY(TexObjectGetResourceDesc,   5000, 0) \
	ENTRY(TexObjectGetTextureDesc,    5000, 0) \
	ENTRY(TexObjectGetResourceViewDesc, 5000, 0) \
	ENTRY(SurfObjectCreate,           5000, 0) \
	ENTRY(SurfObjectDestroy,          5000, 0) \
	ENTRY(SurfObjectGetResourceDesc,  5000, 0) \
	ENTRY(ImportExternalMemory,      10000, 0) \
	ENTRY(ExternalMemoryGetMappedBuffer, 10000, 0) \
	ENTRY(DestroyExternalMemory,     10000, 0) \
	ENTRY(MemPrefetchAsync,          12020, 12020) \
	ENTRY(MemAdvise,                 12020, 0) \
	ENTRY(MemPrefetchBatchAsync,     13000, 13000) \
	ENTRY(MemDiscardBatchAsync,      13000, 13000) \
	ENTRY(MemDiscardAndPrefetchBatchAsync, 13000, 13000) \
	ENTRY(MemRangeGetAttribute,       8000, 0) \
	ENTRY(MemRangeGetAttributes,      8000, 0) \
	ENTRY(StreamAttachMemAsync,       6000, 7000) \
	ENTRY(MemsetD8,                   3020, 7000) \
	ENTRY(MemsetD8Async,              3020, 7000) \
	ENTRY(MemsetD2D8,                 3020, 7000) \
	ENTRY(MemsetD2D8Async,            3020, 7000) \
	ENTRY(FuncGetAttribute,           2020, 0) \
	ENTRY(FuncSetAttribute,           9000, 0) \
	ENTRY(FuncSetCacheConfig,        3000, 0) \
	ENTRY(FuncSetSharedMemConfig,    4020, 0) \
	ENTRY(FuncGetName,               12030, 0) \
	ENTRY(FuncGetParamInfo,          12040, 0) \
	ENTRY(LaunchCooperativeKernel,   9000, 9000) \
	ENTRY(LaunchKernel,               4000, 7000) \
	ENTRY(LaunchHostFunc,            10000, 10000) \
	ENTRY(LaunchKernelEx,            11060, 11060) \
	ENTRY(EventCreate,                2000, 0) \
	ENTRY(EventRecord,                2000, 7000) \
	ENTRY(EventRecordWithFlags,      11010, 11010) \
	ENTRY(EventQuery,                 2000, 0) \
	ENTRY(EventSynchronize,           2000, 0) \
	ENTRY(EventDestroy,               4000, 0) \
	ENTRY(EventElapsedTime,          12080, 0) \
	ENTRY(StreamCreate,               2000, 0) \
	ENTRY(StreamCreateWithPriority,   5050, 0) \
	ENTRY(StreamGetPriority,          5050, 7000) \
	ENTRY(StreamGetFlags,             5050, 7000) \
	ENTRY(StreamGetDevice,           12080, 12080) \
	ENTRY(StreamGetId,               12000, 12000) \
	ENTRY(StreamCopyAttributes,      11000, 11000) \
	ENTRY(StreamGetAttribute,        11000, 11000) \
	ENTRY(StreamSetAttribute,        11000, 11000) \
	ENTRY(StreamDestroy,              4000, 0) \
	ENTRY(StreamWaitEvent,            3020, 7000) \
	ENTRY(StreamAddCallback,          5000, 7000) \
	ENTRY(StreamSynchronize,          2000, 7000) \
	ENTRY(StreamQuery,                2000, 7000) \
	ENTRY(DeviceCanAccessPeer,        4000, 0) \
	ENTRY(CtxEnablePeerAccess,        4000, 0) \
	ENTRY(CtxDisablePeerAccess,       4000, 0) \
	ENTRY(IpcGetEventHandle,          4010, 0) \
	ENTRY(IpcOpenEventHandle,         4010, 0) \
	ENTRY(IpcGetMemHandle,            4010, 0) \
	ENTRY(IpcOpenMemHandle,          11000, 0) \
	ENTRY(IpcCloseMemHandle,          4010, 0) \
	ENTRY(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, 0) \
	ENTRY(OccupancyAvailableDynamicSMemPerBlock, 10020, 0) \
	ENTRY(OccupancyMaxPotentialClusterSize, 11070, 0) \
	ENTRY(OccupancyMaxActiveClusters, 11070, 0) \
	ENTRY(StreamBeginCapture,        10010, 10010) \
	ENTRY(StreamEndCapture,          10000, 10000) \
	ENTRY(StreamIsCapturing,         10000, 10000) \
	ENTRY(StreamBeginCaptureToGraph, 12030, 12030) \
	ENTRY(StreamGetCaptureInfo,      12030, 12030) \
	ENTRY(StreamUpdateCaptureDependencies, 12030, 12030) \
	ENTRY(ThreadExchangeStreamCaptureMode, 10010, 0) \
	ENTRY(GraphCreate,               10000, 0) \
	ENTRY(GraphAddKernelNode,        12000, 0) \
	ENTRY(GraphKernelNodeGetParams,  12000, 0) \
	ENTRY(GraphKernelNodeSetParams,  12000, 0) \
	ENTRY(GraphExecKernelNodeSetParams, 12000, 0) \
	ENTRY(GraphAddMemcpyNode,        10000, 0) \
	ENTRY(GraphMemcpyNodeGetParams, 10000, 0) \
	ENTRY(GraphMemcpyNodeSetParams, 10000, 0) \
	ENTRY(GraphAddMemsetNode,        10000, 0) \
	ENTRY(GraphMemsetNodeGetParams,  10000, 0) \
	ENTRY(GraphMemsetNodeSetParams, 10000, 0) \
	ENTRY(GraphAddHostNode,          10000, 0) \
	ENTRY(GraphHostNodeGetParams,    10000, 0) \
	ENTRY(GraphHostNodeSetParams,    10000, 0) \
	ENTRY(GraphExecHostNodeSetParams, 10020, 0) \
	ENTRY(GraphAddChildGraphNode,    10000, 0) \
	ENTRY(GraphChildGraphNodeGetGraph, 10000, 0) \
	ENTRY(GraphAddEmptyNode,         10000, 0) \
	ENTRY(GraphAddEventRecordNode,   11010, 0) \
	ENTRY(GraphEventRecordNodeGetEvent, 11010, 0) \
	ENTRY(GraphEventRecordNodeSetEvent, 11010, 0) \
	ENTRY(GraphAddEventWaitNode,     11010, 0) \
	ENTRY(GraphEventWaitNodeGetEvent, 11010, 0) \
	ENTRY(GraphEventWaitNodeSetEvent, 11010, 0) \
	ENTRY(GraphAddMemAllocNode,      11040, 0) \
	ENTRY(GraphMemAllocNodeGetParams, 11040, 0) \
	ENTRY(GraphAddMemFreeNode,       11040, 0) \
	ENTRY(GraphMemFreeNodeGetParams, 11040, 0) \
	ENTRY(DeviceGetGraphMemAttribute, 11040, 0) \
	ENTRY(DeviceSetGraphMemAttribute, 11040, 0) \
	ENTRY(DeviceGraphMemTrim,        11040, 0) \
	ENTRY(UserObjectCreate,          11030, 0) \
	ENTRY(UserObjectRetain,          11030, 0) \
	ENTRY(UserObjectRelease,         11030, 0) \
	ENTRY(GraphRetainUserObject,     11030, 0) \
	ENTRY(GraphReleaseUserObject,    11030, 0) \
	ENTRY(GraphClone,                10000, 0) \
	ENTRY(GraphNodeFindInClone,      10000, 0) \
	ENTRY(GraphNodeGetType,          10000, 0) \
	ENTRY(GraphDestroyNode,          10000, 0) \
	ENTRY(GraphGetNodes,             10000, 0) \
	ENTRY(GraphGetRootNodes,         10000, 0) \
	ENTRY(GraphNodeGetDependencies,  12030, 0) \
	ENTRY(GraphAddDependencies,      12030, 0) \
	ENTRY(GraphRemoveDependencies,   12030, 0) \
	ENTRY(GraphNodeGetDependentNodes, 12030, 0) \
	ENTRY(GraphGetEdges,             12030, 0) \
	ENTRY(GraphInstantiateWithFlags, 11040, 0) \
	ENTRY(GraphUpload,               11010, 11010) \
	ENTRY(GraphLaunch,               10000, 10000) \
	ENTRY(GraphExecDestroy,          10000, 0) \
	ENTRY(GraphExecMemcpyNodeSetParams, 10020, 0) \
	ENTRY(GraphExecMemsetNodeSetParams, 10020, 0) \
	ENTRY(GraphExecChildGraphNodeSetParams, 11010, 0) \
	ENTRY(GraphExecEventRecordNodeSetEvent, 11010, 0) \
	ENTRY(GraphExecEventWaitNodeSetEvent, 11010, 0) \
	ENTRY(GraphKernelNodeCopyAttributes, 11000, 0) \
	ENTRY(GraphKernelNodeGetAttribute, 11000, 0) \
	ENTRY(GraphKernelNodeSetAttribute, 11000, 0) \
	ENTRY(GraphDebugDotPrint,        11030, 0) \
	ENTRY(GraphNodeSetEnabled,       11060, 0) \
	ENTRY(GraphNodeGetEnabled,       11060, 0) \
	ENTRY(GraphDestroy,              10000, 0) \
	ENTRY(GraphExecUpdate,           12000, 0) \
	ENTRY(GraphInstantiateWithParams, 12000, 12000) \
	ENTRY(GraphExecGetFlags,         12000, 0) \
	ENTRY(GraphAddNode,              12030, 0) \
	ENTRY(GraphNodeSetParams,        12020, 0) \
	ENTRY(GraphExecNodeSetParams,    12020, 0) \
	ENTRY(GraphConditionalHandleCreate, 12030, 0) \
	ENTRY(LogsRegisterCallback,      12090, 0) \
	ENTRY(LogsUnregisterCallback,    12090, 0) \
	ENTRY(LogsCurrent,               12090, 0) \
	ENTRY(LogsDumpToFile,            12090, 0) \
	ENTRY(LogsDumpToMemory,          12090, 0)
/* clang-format on */

/* The toolkit hides the type of this first version, which is the second's. */
#define PFN_cuDevicePrimaryCtxReset_v7000 PFN_cuDevicePrimaryCtxReset_v11000

#define ENTRY_FIELD(name, version, per_thread) PFN_cu##name##_v##version name;
struct driver {
	DRIVER_ENTRIES(ENTRY_FIELD)
};
#undef ENTRY_FIELD

/* They differ only in entries that have a per-thread default stream form. */
extern struct driver driver_legacy, driver_per_thread;

/* Opens the driver, once per process. Returns a CUresult, or a cudaError_t if
 * the driver itself is missing or too old: they share their numbers. */
int driver_start(void);

extern bool driver_ready;

static inline int driver_open(void)
{
	return __atomic_load_n(&driver_ready, __ATOMIC_ACQUIRE)
		       ? 0
		       : driver_start();
}

/* cuGetProcAddress as the driver gave it; valid after driver_open(). */
extern PFN_cuGetProcAddress_v12000 driver_find;
/* Its library, to look for what only the simulated driver has. */
extern void *driver_library;

#endif
