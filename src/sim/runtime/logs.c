/* The driver's messages for programs. */
#include "runtime.h"

/* The function has the driver's form. */
EXPORT cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function,
					    void *data,
					    cudaLogsCallbackHandle *handle)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LogsRegisterCallback(
			(CUlogsCallback)function, data,
			(CUlogsCallbackHandle *)handle);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LogsUnregisterCallback(
			(CUlogsCallbackHandle)handle);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLogsCurrent(cudaLogIterator *at, unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LogsCurrent(at, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLogsDumpToFile(cudaLogIterator *from, const char *path,
				      unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LogsDumpToFile(from, path, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLogsDumpToMemory(cudaLogIterator *from, char *buffer,
					size_t *size, unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LogsDumpToMemory(from, buffer, size, flags);
	return runtime_result(res);
}
