/* What the simulated driver is linked anew with: an entry that no header of
 * ours has, as a newer driver's would be, and one that takes its time. What
 * is called base_ is the simulation's own. */
#include <cuda.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

CUresult base_cuGetProcAddress_v2(const char *name, void **out, int version,
				  cuuint64_t flags,
				  CUdriverProcAddressQueryResult *status);
CUresult base_cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuFutureWork(void);

EXPORT CUresult cuFutureWork(void)
{
	return CUDA_SUCCESS;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
				    cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	if (strcmp(name, "cuFutureWork"))
		return base_cuGetProcAddress_v2(name, out, version, flags,
						status);
	*out = (void *)cuFutureWork;
	return CUDA_SUCCESS;
}

/* One that takes memory of any kind, though CUDA's documents ask for some. */
EXPORT CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
				    size_t offset, CUdeviceptr addr,
				    size_t size, unsigned long long flags)
{
	(void)handle;
	(void)offset;
	(void)flags;
	return addr && size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	usleep(20000);
	return base_cuCtxRecordEvent(context, event);
}
