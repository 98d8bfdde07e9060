#include <stdio.h>
#include <string.h>

#include "entries.h"
#include "world.h"

enum { PCI_FIRST_BUS = 1 };

CUresult sim_cuDeviceGet(CUdevice *device, int ordinal)
{
	struct device *dev;
	CUresult res = device_find(ordinal, &dev);

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*device = ordinal;
	return res;
}

CUresult sim_cuDeviceGetCount(int *count)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = world.device_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetName(char *name, int len, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!name || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(name, len, "%s", world.profile.name);
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = dev->arena.capacity;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	memset(uuid, 0, sizeof(*uuid));
	memcpy(uuid->bytes, "simulated", 9);
	uuid->bytes[15] = (char)device;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	return sim_cuDeviceGetUuid_v2(uuid, device);
}

CUresult sim_cuDeviceGetPCIBusId(char *text, int len, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!text || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(text, len, "0000:%02X:00.0", PCI_FIRST_BUS + device);
	return CUDA_SUCCESS;
}

/* The text is DOMAIN:BUS:DEVICE.FUNCTION in hex. DOMAIN and FUNCTION may
 * be missing. */
CUresult sim_cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
	unsigned domain = 0, bus, slot, function;

	if (!device || !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
		domain = 0;
		if (sscanf(text, "%x:%x", &bus, &slot) != 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (domain || slot || bus < PCI_FIRST_BUS ||
	    bus - PCI_FIRST_BUS >= (unsigned)world.device_count)
		return CUDA_ERROR_INVALID_DEVICE;
	*device = (CUdevice)(bus - PCI_FIRST_BUS);
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (!res)
		res = device_find(peer, &dev);
	if (res)
		return res;
	if (!can)
		return CUDA_ERROR_INVALID_VALUE;
	*can = device != peer;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute what,
				     CUdevice device, CUdevice peer)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (!res)
		res = device_find(peer, &dev);
	if (res)
		return res;
	if (!value || device == peer)
		return device == peer ? CUDA_ERROR_INVALID_DEVICE
				      : CUDA_ERROR_INVALID_VALUE;
	*value = what == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	*major = (int)world.profile.compute_major;
	*minor = (int)world.profile.compute_minor;
	return CUDA_SUCCESS;
}

/* No atomic operation reaches another device's memory, or the host's, in
 * hardware. */
static CUresult atomics_write(unsigned *capabilities,
			      const CUatomicOperation *operations,
			      unsigned count)
{
	if (!capabilities || !operations || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++)
		capabilities[i] = 0;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetHostAtomicCapabilities(
	unsigned *capabilities, const CUatomicOperation *operations,
	unsigned count, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	return res ? res : atomics_write(capabilities, operations, count);
}

CUresult sim_cuDeviceGetP2PAtomicCapabilities(
	unsigned *capabilities, const CUatomicOperation *operations,
	unsigned count, CUdevice device, CUdevice peer)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (!res)
		res = device_find(peer, &dev);
	if (!res && device == peer)
		res = CUDA_ERROR_INVALID_DEVICE;
	return res ? res : atomics_write(capabilities, operations, count);
}

/* That is for parts of a device that several processes share. */
CUresult sim_cuDeviceGetExecAffinitySupport(int *supported,
					    CUexecAffinityType type,
					    CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (!res && (!supported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*supported = 0;
	return res;
}

CUresult sim_cuDeviceGetProperties(CUdevprop *out, CUdevice device)
{
	static const CUdevice_attribute rows[] = {
		CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
		CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
		CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
		CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
		CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
		CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
		CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
		CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
		CU_DEVICE_ATTRIBUTE_WARP_SIZE,
		CU_DEVICE_ATTRIBUTE_MAX_PITCH,
		CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
		CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
		CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
	};
	int values[sizeof(rows) / sizeof(*rows)];
	CUresult res = out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	_Static_assert(sizeof(values) == sizeof(*out),
		       "the structure has one number for each row");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !res; i++)
		res = sim_cuDeviceGetAttribute(&values[i], rows[i], device);
	if (!res)
		memcpy(out, values, sizeof(values));
	return res;
}
