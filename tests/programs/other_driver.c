/* Linked into a variant of the simulated driver. It adds entries that no header
 * of ours has, as a newer driver would, and slow ones. The simulation's own
 * functions are called base_. */
#include <cuda.h>
#include <stdbool.h>
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
CUresult base_cuMemAlloc_v2(CUdeviceptr *addr, size_t size);
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

/* Not the exports, in whose place a preload's may stand. */
CUresult sim_cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
			 const CUmemAllocationProp *prop,
			 unsigned long long flags);
CUresult sim_cuMemMap(CUdeviceptr addr, size_t size, size_t offset,
		      CUmemGenericAllocationHandle handle,
		      unsigned long long flags);
CUresult sim_cuMemSetAccess(CUdeviceptr addr, size_t size,
			    const CUmemAccessDesc *desc, size_t count);
CUresult sim_cuMemUnmap(CUdeviceptr addr, size_t size);
CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult sim_cuMemAddressFree(CUdeviceptr addr, size_t size);
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

/* One allocation of this size lies where nothing else does. Addresses that are
 * reserved after its context has ended begin a little before it. */
enum { APART = 26 << 20, BEFORE = 2 << 20 };
static const CUdeviceptr apart = 0x200000000000;
static CUmemGenericAllocationHandle apart_page;
static bool apart_ended;

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *addr, size_t size)
{
	const CUmemAccessDesc access = {
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

	if (size != APART || apart_page)
		return base_cuMemAlloc_v2(addr, size);
	if (base_cuMemAddressReserve(addr, APART, 0, apart, 0) ||
	    sim_cuMemCreate(&apart_page, APART, &prop, 0) ||
	    sim_cuMemMap(apart, APART, 0, apart_page, 0))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return sim_cuMemSetAccess(apart, APART, &access, 1);
}

static void apart_end(void)
{
	sim_cuMemUnmap(apart, APART);
	sim_cuMemRelease(apart_page);
	sim_cuMemAddressFree(apart, APART);
	apart_ended = true;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *addr, size_t size,
				    size_t align, CUdeviceptr wish,
				    unsigned long long flags)
{
	usleep(200000);
	return base_cuMemAddressReserve(
		addr, size, align, apart_ended ? apart - BEFORE : wish, flags);
}

/* The context has ended long before its caller knows. */
EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
	CUresult res = base_cuCtxDestroy_v2(context);

	if (apart_page && !apart_ended)
		apart_end();
	usleep(200000);
	return res;
}
