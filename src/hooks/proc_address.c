/* The entry point through which both forms of cudart get CUDA's functions. CUDA
 * answers first; its answer is replaced if it is a function that we hook. */
#include "hook.h"
#include "cuda/real.h"

static bool per_thread(cuuint64_t flags)
{
	return flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
}

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version,
				 cuuint64_t flags)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	if (!real || !real->cuGetProcAddress)
		return CUDA_ERROR_NOT_FOUND;
	res = real->cuGetProcAddress(name, out, version, flags);
	if (!res && out)
		*out = hook_replace(name, version, per_thread(flags), *out);
	return res;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
				    cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	if (!real || !real->cuGetProcAddress_v2)
		return CUDA_ERROR_NOT_FOUND;
	res = real->cuGetProcAddress_v2(name, out, version, flags, status);
	if (!res && out)
		*out = hook_replace(name, version, per_thread(flags), *out);
	return res;
}
