/* An entry that no header of ours has, as a newer driver's would be: the
 * simulated driver, linked anew with this, exports it and answers for it.
 * base_cuGetProcAddress_v2 is the simulation's own. */
#include <cuda.h>
#include <string.h>

#undef cuGetProcAddress

#define EXPORT __attribute__((visibility("default")))

CUresult base_cuGetProcAddress_v2(const char *name, void **out, int version,
				  cuuint64_t flags,
				  CUdriverProcAddressQueryResult *status);
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
