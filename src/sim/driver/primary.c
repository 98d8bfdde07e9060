#include "clock.h"
#include "context.h"
#include "entries.h"
#include "world.h"

CUresult sim_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	context_settle(&dev->primary);
	if (!dev->primary.alive) {
		res = context_open(&dev->primary, dev, dev->primary_flags);
		if (res)
			return res;
	}
	dev->primary_retains++;
	*out = (CUcontext)&dev->primary;
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	context_settle(&dev->primary);
	if (!dev->primary_retains)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--dev->primary_retains && dev->primary.alive)
		context_close(&dev->primary);
	return CUDA_SUCCESS;
}

/* One of the primary context's green contexts that is alive, or NULL. */
static struct context *part_alive(struct context *primary)
{
	struct context *part = context_part(primary, primary);

	while (part && !part->alive)
		part = context_part(primary, part);
	return part;
}

/* Ends all that the process has on the device, unless that has green
 * contexts. */
CUresult sim_cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	context_settle(&dev->primary);
	if (part_alive(&dev->primary))
		return CUDA_ERROR_NOT_PERMITTED;
	if (dev->primary.alive)
		context_close(&dev->primary);
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (flags & ~CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	dev->primary_flags = flags;
	if (dev->primary.alive)
		dev->primary.flags = flags;
	return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
					int *active)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = dev->primary_flags;
	*active = dev->primary.alive;
	return CUDA_SUCCESS;
}
