#include <string.h>

#include "runtime.h"

_Static_assert(sizeof(CUipcMemHandle) == sizeof(cudaIpcMemHandle_t),
	       "the driver's and the runtime's IPC handles differ");

EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *ptr)
{
	CUipcMemHandle own;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.IpcGetMemHandle(handle ? &own : NULL,
						    (CUdeviceptr)ptr);
	if (!res && handle)
		memcpy(handle, &own, sizeof(own));
	return runtime_result(res);
}

EXPORT cudaError_t cudaIpcOpenMemHandle(void **ptr, cudaIpcMemHandle_t handle,
					unsigned int flags)
{
	CUipcMemHandle own;
	CUdeviceptr addr = 0;
	int res = runtime_enter();

	memcpy(&own, &handle, sizeof(own));
	if (!res)
		res = driver_legacy.IpcOpenMemHandle(ptr ? &addr : NULL, own,
						     flags);
	if (!res && ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaIpcCloseMemHandle(void *ptr)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.IpcCloseMemHandle((CUdeviceptr)ptr);
	return runtime_result(res);
}

EXPORT cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
					 cudaEvent_t event)
{
	CUipcEventHandle own;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.IpcGetEventHandle(handle ? &own : NULL,
						      event);
	if (!res && handle)
		memcpy(handle, &own, sizeof(own));
	return runtime_result(res);
}

EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
					  cudaIpcEventHandle_t handle)
{
	CUipcEventHandle own;
	int res = runtime_enter();

	memcpy(&own, &handle, sizeof(own));
	if (!res)
		res = driver_legacy.IpcOpenEventHandle(event, own);
	return runtime_result(res);
}
