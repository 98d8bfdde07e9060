/* The device memory that graphs hold: none, since there are no nodes that
 * allocate here. */
#include "device.h"
#include "entries.h"

CUresult sim_cuDeviceGetGraphMemAttribute(CUdevice device,
					  CUgraphMem_attribute attr,
					  void *value)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!value || (unsigned)attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
		return CUDA_ERROR_INVALID_VALUE;
	*(cuuint64_t *)value = 0;
	return CUDA_SUCCESS;
}

/* Only the high-water marks can be set, and only to zero. */
CUresult sim_cuDeviceSetGraphMemAttribute(CUdevice device,
					  CUgraphMem_attribute attr,
					  void *value)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!value || *(cuuint64_t *)value ||
	    (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
	     attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
