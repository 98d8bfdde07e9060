#include <stddef.h>
#include <string.h>

#include "runtime.h"

EXPORT cudaError_t cudaGetDeviceCount(int *count)
{
	int found = 0;
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetCount(&found);
	if (!res && !found)
		res = cudaErrorNoDevice;
	if (!res)
		*count = found;
	return runtime_result(res);
}

/* All simulated devices are alike. */
EXPORT cudaError_t cudaChooseDevice(int *device,
				    const struct cudaDeviceProp *prop)
{
	int count = 0;
	int res = device && prop ? 0 : cudaErrorInvalidValue;

	if (!res)
		res = cudaGetDeviceCount(&count);
	if (!res)
		*device = 0;
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
					  int device)
{
	int res = driver_open();

	if (!res) /* both enumerations have the same numbers */
		res = driver_legacy.DeviceGetAttribute(
			value, (CUdevice_attribute)attr, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *value,
					     enum cudaDeviceP2PAttr attr,
					     int from, int to)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetP2PAttribute(
			value, (CUdevice_P2PAttribute)attr, from, to);
	return runtime_result(res);
}

/* Operations have the driver's numbers. */
EXPORT cudaError_t cudaDeviceGetP2PAtomicCapabilities(
	unsigned int *capabilities, const enum cudaAtomicOperation *operations,
	unsigned int count, int from, int to)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetP2PAtomicCapabilities(
			capabilities, (const CUatomicOperation *)operations,
			count, from, to);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetHostAtomicCapabilities(
	unsigned int *capabilities, const enum cudaAtomicOperation *operations,
	unsigned int count, int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetHostAtomicCapabilities(
			capabilities, (const CUatomicOperation *)operations,
			count, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetPCIBusId(id, size, device);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGetByPCIBusId(device, id);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSynchronize(void)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxSynchronize();
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxGetStreamPriorityRange(least, greatest);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxGetLimit(value, (CUlimit)limit);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxSetLimit((CUlimit)limit, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	CUfunc_cache found = CU_FUNC_CACHE_PREFER_NONE;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxGetCacheConfig(&found);
	if (!res)
		*config = (enum cudaFuncCache)found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxSetCacheConfig((CUfunc_cache)config);
	return runtime_result(res);
}

EXPORT cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	CUsharedconfig found = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
	int res = config ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.CtxGetSharedMemConfig(&found);
	if (!res)
		*config = (enum cudaSharedMemConfig)found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxSetSharedMemConfig(
			(CUsharedconfig)config);
	return runtime_result(res);
}

EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.CtxResetPersistingL2Cache();
	return runtime_result(res);
}

EXPORT cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	CUstreamCaptureMode own = (CUstreamCaptureMode)*mode;
	int res = driver_open();

	if (!res)
		res = driver_legacy.ThreadExchangeStreamCaptureMode(&own);
	if (!res)
		*mode = (enum cudaStreamCaptureMode)own;
	return runtime_result(res);
}

EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
	int found = 0;
	int res = driver_open();

	if (!res)
		res = driver_legacy.DriverGetVersion(&found);
	if (res == cudaErrorInsufficientDriver)
		res = 0; /* without a driver the version is 0: no error */
	if (!res)
		*version = found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}
