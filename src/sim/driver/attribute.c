/* cuDeviceGetAttribute. */
#include <stddef.h>

#include "entries.h"
#include "launch_attributes.h"
#include "occupancy.h"
#include "world.h"

struct attribute {
	CUdevice_attribute what;
	int value;
	size_t field; /* of the profile; 0 if the value is fixed */
};

#define IS(what, value) \
	{ \
		CU_DEVICE_ATTRIBUTE_##what, value, 0 \
	}
#define FROM(what, member) \
	{ \
		CU_DEVICE_ATTRIBUTE_##what, 0, \
			offsetof(struct profile, member) \
	}

/* Fixed values are those of every device since compute capability 7.5 (CUDA
 * programming guide, "Technical specifications per compute capability"). */
/* clang-format off */
static const struct attribute attributes[] = {
	FROM(COMPUTE_CAPABILITY_MAJOR, compute_major),
	FROM(COMPUTE_CAPABILITY_MINOR, compute_minor),
	FROM(MULTIPROCESSOR_COUNT, multiprocessors),
	FROM(MAX_THREADS_PER_MULTIPROCESSOR, threads_per_multiprocessor),
	FROM(CLOCK_RATE, clock_khz),
	FROM(MEMORY_CLOCK_RATE, memory_clock_khz),
	FROM(GLOBAL_MEMORY_BUS_WIDTH, bus_bits),
	FROM(L2_CACHE_SIZE, l2_bytes),
	FROM(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_bytes),
	FROM(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_bytes),
	IS(MAX_THREADS_PER_BLOCK, THREADS_MOST),
	IS(MAX_BLOCK_DIM_X, 1024),
	IS(MAX_BLOCK_DIM_Y, 1024),
	IS(MAX_BLOCK_DIM_Z, 64),
	IS(MAX_GRID_DIM_X, 2147483647),
	IS(MAX_GRID_DIM_Y, 65535),
	IS(MAX_GRID_DIM_Z, 65535),
	IS(MAX_SHARED_MEMORY_PER_BLOCK, 49152),
	IS(RESERVED_SHARED_MEMORY_PER_BLOCK, 0),
	IS(TOTAL_CONSTANT_MEMORY, 65536),
	IS(WARP_SIZE, 32),
	IS(MAX_PITCH, 2147483647),
	IS(MAX_REGISTERS_PER_BLOCK, 65536),
	IS(MAX_REGISTERS_PER_MULTIPROCESSOR, 65536),
	IS(MAX_BLOCKS_PER_MULTIPROCESSOR, BLOCKS_MOST),
	IS(TEXTURE_ALIGNMENT, 512),
	IS(TEXTURE_PITCH_ALIGNMENT, 32),
	IS(SURFACE_ALIGNMENT, 512),
	IS(ASYNC_ENGINE_COUNT, 2),
	IS(GPU_OVERLAP, 1),
	IS(KERNEL_EXEC_TIMEOUT, 0),
	IS(INTEGRATED, 0),
	IS(CAN_MAP_HOST_MEMORY, 1),
	IS(COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT),
	IS(CONCURRENT_KERNELS, 1),
	IS(ECC_ENABLED, 1),
	IS(PCI_DOMAIN_ID, 0),
	IS(PCI_DEVICE_ID, 0),
	IS(TCC_DRIVER, 0),
	IS(UNIFIED_ADDRESSING, 1),
	IS(STREAM_PRIORITIES_SUPPORTED, 1),
	IS(GLOBAL_L1_CACHE_SUPPORTED, 1),
	IS(LOCAL_L1_CACHE_SUPPORTED, 1),
	IS(MANAGED_MEMORY, 1),
	IS(PAGEABLE_MEMORY_ACCESS, 0),
	IS(COMPUTE_PREEMPTION_SUPPORTED, 1),
	IS(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1),
	IS(HOST_REGISTER_SUPPORTED, 1),
	IS(READ_ONLY_HOST_REGISTER_SUPPORTED, 0),
	IS(MEMORY_POOLS_SUPPORTED, 1),
	IS(MULTI_GPU_BOARD, 0),
	IS(COOPERATIVE_LAUNCH, 1),
	IS(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
	IS(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1),
	IS(GPU_DIRECT_RDMA_SUPPORTED, 0),
	IS(IPC_EVENT_SUPPORTED, 1),
	IS(MEMPOOL_SUPPORTED_HANDLE_TYPES,
	   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
	IS(HOST_MEMORY_POOLS_SUPPORTED, 1),
	IS(HOST_NUMA_MEMORY_POOLS_SUPPORTED, 1),
	IS(HOST_NUMA_ID, 0),
	IS(CAN_USE_STREAM_MEM_OPS_V1, 1),
	IS(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 1),
	IS(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 1),
	IS(CAN_USE_64_BIT_STREAM_MEM_OPS, 1),
	IS(CAN_USE_STREAM_WAIT_VALUE_NOR, 1),
	IS(CAN_FLUSH_REMOTE_WRITES, 0),
};
/* clang-format on */

CUresult sim_cuDeviceGetAttribute(int *value, CUdevice_attribute what,
				  CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!value || what <= 0 || what >= CU_DEVICE_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	if (what == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		*value = 1 + device;
	if (what == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
		*value = world.profile.compute_major >= CLUSTER_MAJOR;
	if (what == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
		*value = !world.profile.managed_fixed;
	for (unsigned i = 0; i < sizeof(attributes) / sizeof(*attributes);
	     i++) {
		const struct attribute *row = &attributes[i];

		if (row->what != what)
			continue;
		*value = row->value;
		if (row->field)
			*value = (int)*(
				const uint64_t *)((const char *)&world.profile +
						  row->field);
	}
	return CUDA_SUCCESS;
}
