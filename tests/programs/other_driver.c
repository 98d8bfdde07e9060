/* Linked into a variant of the simulated driver. It adds entries that no header
 * of ours has, as a newer driver would, and slow ones. The simulation's own
 * functions are called base_. */
#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

CUresult base_cuGetProcAddress_v2(const char *name, void **out, int version,
				  cuuint64_t flags,
				  CUdriverProcAddressQueryResult *status);
CUresult base_cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult base_cuCtxDestroy_v2(CUcontext context);
CUresult base_cuMemAddressReserve(CUdeviceptr *addr, size_t size, size_t align,
				  CUdeviceptr wish, unsigned long long flags);
CUresult cuFutureWork(void);
CUresult cuFutureCopy(CUdeviceptr to, CUdeviceptr from, size_t size,
		      CUstream stream, float of, double all);

/* Copies the first size * of / all bytes. */
EXPORT CUresult cuFutureCopy(CUdeviceptr to, CUdeviceptr from, size_t size,
			     CUstream stream, float of, double all)
{
	return cuMemcpyDtoDAsync(to, from, (size_t)((double)size * of / all),
				 stream);
}

EXPORT CUresult cuFutureWork(void)
{
	return CUDA_SUCCESS;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
				    cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	static const char many[512]; /* entries that nobody calls */

	if (!strncmp(name, "cuFutureMany", 12))
		*out = (void *)&many[atoi(name + 12) % (int)sizeof(many)];
	else if (!strcmp(name, "cuFutureWork"))
		*out = (void *)cuFutureWork;
	else if (!strcmp(name, "cuFutureCopy") ||
		 !strcmp(name, "cuFutureGetCopy") ||
		 (!strcmp(name, "cuMemcpyBatchAsync") &&
		  version > CUDA_VERSION))
		*out = (void *)cuFutureCopy;
	else
		return base_cuGetProcAddress_v2(name, out, version, flags,
						status);
	return CUDA_SUCCESS;
}

/* Not the export, in whose place a preload's may stand. */
CUresult sim_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
				     CUdeviceptr addr);

/* Takes memory of any kind, if there is some, although CUDA's documents allow
 * only some. */
EXPORT CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
				    size_t offset, CUdeviceptr addr,
				    size_t size, unsigned long long flags)
{
	(void)handle;
	(void)offset;
	(void)flags;
	return size && !sim_cuMemGetAddressRange_v2(NULL, NULL, addr)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* Has a handle for whatever begins and ends with a page of the system's. */
EXPORT CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr addr,
					      size_t size,
					      CUmemRangeHandleType type,
					      unsigned long long flags)
{
	(void)type;
	(void)flags;
	*(int *)handle = -1;
	return size && (addr | size) % 4096 == 0 ? CUDA_SUCCESS
						 : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	usleep(20000);
	return base_cuCtxRecordEvent(context, event);
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *addr, size_t size,
				    size_t align, CUdeviceptr wish,
				    unsigned long long flags)
{
	usleep(200000);
	return base_cuMemAddressReserve(addr, size, align, wish, flags);
}

/* The context has ended long before its caller knows. */
EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
	CUresult res = base_cuCtxDestroy_v2(context);

	usleep(200000);
	return res;
}
