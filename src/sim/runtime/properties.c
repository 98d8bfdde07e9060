#include <stddef.h>
#include <string.h>

#include "runtime.h"

struct row {
	size_t offset; /* in struct cudaDeviceProp */
	CUdevice_attribute attr;
};

/* clang-format off */
#define ROW(field, attr) \
	{offsetof(struct cudaDeviceProp, field), CU_DEVICE_ATTRIBUTE_##attr}

static const struct row int_rows[] = {
	ROW(regsPerBlock, MAX_REGISTERS_PER_BLOCK),
	ROW(warpSize, WARP_SIZE),
	ROW(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
	ROW(maxThreadsDim[0], MAX_BLOCK_DIM_X),
	ROW(maxThreadsDim[1], MAX_BLOCK_DIM_Y),
	ROW(maxThreadsDim[2], MAX_BLOCK_DIM_Z),
	ROW(maxGridSize[0], MAX_GRID_DIM_X),
	ROW(maxGridSize[1], MAX_GRID_DIM_Y),
	ROW(maxGridSize[2], MAX_GRID_DIM_Z),
	ROW(major, COMPUTE_CAPABILITY_MAJOR),
	ROW(minor, COMPUTE_CAPABILITY_MINOR),
	ROW(multiProcessorCount, MULTIPROCESSOR_COUNT),
	ROW(integrated, INTEGRATED),
	ROW(canMapHostMemory, CAN_MAP_HOST_MEMORY),
	ROW(concurrentKernels, CONCURRENT_KERNELS),
	ROW(ECCEnabled, ECC_ENABLED),
	ROW(pciBusID, PCI_BUS_ID),
	ROW(pciDeviceID, PCI_DEVICE_ID),
	ROW(pciDomainID, PCI_DOMAIN_ID),
	ROW(asyncEngineCount, ASYNC_ENGINE_COUNT),
	ROW(unifiedAddressing, UNIFIED_ADDRESSING),
	ROW(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH),
	ROW(l2CacheSize, L2_CACHE_SIZE),
	ROW(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR),
	ROW(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED),
	ROW(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED),
	ROW(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED),
	ROW(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
	ROW(managedMemory, MANAGED_MEMORY),
	ROW(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED),
	ROW(pageableMemoryAccess, PAGEABLE_MEMORY_ACCESS),
	ROW(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS),
	ROW(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED),
	ROW(canUseHostPointerForRegisteredMem,
	    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
	ROW(cooperativeLaunch, COOPERATIVE_LAUNCH),
	ROW(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR),
	ROW(hostRegisterSupported, HOST_REGISTER_SUPPORTED),
	ROW(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED),
	ROW(memoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES),
	ROW(gpuDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED),
	ROW(ipcEventSupported, IPC_EVENT_SUPPORTED),
	ROW(clusterLaunch, CLUSTER_LAUNCH),
	ROW(unifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS),
	ROW(maxTexture1D, MAXIMUM_TEXTURE1D_WIDTH),
	ROW(maxTexture1DMipmap, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH),
	ROW(maxTexture1DLayered[0], MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
	ROW(maxTexture1DLayered[1], MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
	ROW(maxTexture2D[0], MAXIMUM_TEXTURE2D_WIDTH),
	ROW(maxTexture2D[1], MAXIMUM_TEXTURE2D_HEIGHT),
	ROW(maxTexture2DMipmap[0], MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
	ROW(maxTexture2DMipmap[1], MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
	ROW(maxTexture2DLinear[0], MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
	ROW(maxTexture2DLinear[1], MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
	ROW(maxTexture2DLinear[2], MAXIMUM_TEXTURE2D_LINEAR_PITCH),
	ROW(maxTexture2DGather[0], MAXIMUM_TEXTURE2D_GATHER_WIDTH),
	ROW(maxTexture2DGather[1], MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
	ROW(maxTexture2DLayered[0], MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
	ROW(maxTexture2DLayered[1], MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
	ROW(maxTexture2DLayered[2], MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
	ROW(maxTexture3D[0], MAXIMUM_TEXTURE3D_WIDTH),
	ROW(maxTexture3D[1], MAXIMUM_TEXTURE3D_HEIGHT),
	ROW(maxTexture3D[2], MAXIMUM_TEXTURE3D_DEPTH),
	ROW(maxTextureCubemap, MAXIMUM_TEXTURECUBEMAP_WIDTH),
	ROW(maxTextureCubemapLayered[0],
	    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
	ROW(maxTextureCubemapLayered[1],
	    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
	ROW(maxSurface1D, MAXIMUM_SURFACE1D_WIDTH),
	ROW(maxSurface1DLayered[0], MAXIMUM_SURFACE1D_LAYERED_WIDTH),
	ROW(maxSurface1DLayered[1], MAXIMUM_SURFACE1D_LAYERED_LAYERS),
	ROW(maxSurface2D[0], MAXIMUM_SURFACE2D_WIDTH),
	ROW(maxSurface2D[1], MAXIMUM_SURFACE2D_HEIGHT),
	ROW(maxSurface2DLayered[0], MAXIMUM_SURFACE2D_LAYERED_WIDTH),
	ROW(maxSurface2DLayered[1], MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
	ROW(maxSurface2DLayered[2], MAXIMUM_SURFACE2D_LAYERED_LAYERS),
	ROW(maxSurface3D[0], MAXIMUM_SURFACE3D_WIDTH),
	ROW(maxSurface3D[1], MAXIMUM_SURFACE3D_HEIGHT),
	ROW(maxSurface3D[2], MAXIMUM_SURFACE3D_DEPTH),
	ROW(maxSurfaceCubemap, MAXIMUM_SURFACECUBEMAP_WIDTH),
	ROW(maxSurfaceCubemapLayered[0],
	    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
	ROW(maxSurfaceCubemapLayered[1],
	    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
};

static const struct row size_rows[] = {
	ROW(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
	ROW(memPitch, MAX_PITCH),
	ROW(totalConstMem, TOTAL_CONSTANT_MEMORY),
	ROW(textureAlignment, TEXTURE_ALIGNMENT),
	ROW(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT),
	ROW(surfaceAlignment, SURFACE_ALIGNMENT),
	ROW(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
	ROW(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
	ROW(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
};
/* clang-format on */

static int properties_fill(struct cudaDeviceProp *prop, int device)
{
	int value;

	for (size_t i = 0; i < sizeof(int_rows) / sizeof(int_rows[0]); i++) {
		const struct row *row = &int_rows[i];
		int res = driver_legacy.DeviceGetAttribute(&value, row->attr,
							   device);

		if (res)
			return res;
		memcpy((char *)prop + row->offset, &value, sizeof(value));
	}
	for (size_t i = 0; i < sizeof(size_rows) / sizeof(size_rows[0]); i++) {
		const struct row *row = &size_rows[i];
		int res = driver_legacy.DeviceGetAttribute(&value, row->attr,
							   device);
		size_t size;

		if (res)
			return res;
		size = (size_t)value;
		memcpy((char *)prop + row->offset, &size, sizeof(size));
	}
	return 0;
}

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop,
					   int device)
{
	struct cudaDeviceProp found = {0};
	CUuuid uuid;
	int res = driver_open();

	_Static_assert(sizeof(uuid) == sizeof(found.uuid),
		       "the driver's and the runtime's UUIDs differ");
	if (!res)
		res = driver_legacy.DeviceGetName(found.name,
						  sizeof(found.name), device);
	if (!res)
		res = driver_legacy.DeviceTotalMem(&found.totalGlobalMem,
						   device);
	if (!res)
		res = driver_legacy.DeviceGetUuid(&uuid, device);
	if (!res)
		res = properties_fill(&found, device);
	if (!res) {
		memcpy(&found.uuid, &uuid, sizeof(uuid));
		*prop = found;
	}
	return runtime_result(res);
}
