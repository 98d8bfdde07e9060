#include "work.h"

/* The runtime's flags and statuses have the driver's numbers. Only its default
 * flag differs: it follows the program's build. */
static int entry_point(const char *symbol, void **function, unsigned version,
		       unsigned long long flags,
		       enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
	int res = driver_open();

	if (!res && (!symbol || !function))
		res = cudaErrorInvalidValue;
	if (res)
		return res;
	if (flags == cudaEnableDefault)
		flags = WORK_PER_THREAD ? cudaEnablePerThreadDefaultStream
					: cudaEnableLegacyStream;
	*function = NULL;
	res = driver_find(symbol, function, (int)version, flags, &found);
	if (res == CUDA_ERROR_NOT_FOUND)
		res = 0; /* the status and the NULL say so */
	if (!res && status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return res;
}

EXPORT cudaError_t cudaGetDriverEntryPoint(
	const char *symbol, void **function, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status)
{
	return runtime_result(
		entry_point(symbol, function, CUDART_VERSION, flags, status));
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(
	const char *symbol, void **function, unsigned int version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	int supported = 0;
	int res = driver_open();

	if (!res)
		res = driver_legacy.DriverGetVersion(&supported);
	if (!res && (int)version > supported)
		res = cudaErrorInvalidValue;
	if (!res)
		res = entry_point(symbol, function, version, flags, status);
	return runtime_result(res);
}
