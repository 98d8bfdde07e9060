#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime.h"

enum { MAX_DEVICES = 64 };

/* A device's primary context as this runtime knows it. The handle stays when
 * the context is reset. So a thread that still has it current is found to need
 * a new context. */
struct primary {
	CUcontext handle;
	_Atomic(CUcontext) open; /* the handle while it is retained, or NULL */
	bool reset;              /* reset, and not retained since */
};

static struct primary primaries[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int reset_count; /* devices reset and not retained since */

int primary_open(int device, CUcontext *ctx)
{
	struct primary *primary;
	int res = 0;

	if (device < 0 || device >= MAX_DEVICES)
		return CUDA_ERROR_INVALID_DEVICE;
	primary = &primaries[device];
	*ctx = primary->open;
	if (*ctx)
		return 0;
	pthread_mutex_lock(&lock);
	if (!primary->open) {
		res = driver_legacy.DevicePrimaryCtxRetain(&primary->handle,
							   device);
		if (!res && primary->reset)
			reset_count--;
	}
	if (!res) {
		primary->reset = false;
		primary->open = primary->handle;
		*ctx = primary->handle;
	}
	pthread_mutex_unlock(&lock);
	return res;
}

/* The device whose reset primary context this is, or -1. */
static int primary_stale(CUcontext ctx)
{
	int device = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_DEVICES; i++)
		if (primaries[i].reset && primaries[i].handle == ctx)
			device = i;
	pthread_mutex_unlock(&lock);
	return device;
}

static int primary_enter(int device)
{
	CUcontext ctx = NULL;
	int res = primary_open(device, &ctx);

	if (!res)
		res = driver_legacy.CtxSetCurrent(ctx);
	return res;
}

int runtime_enter(void)
{
	CUcontext ctx = NULL;
	int res = driver_open();
	int device;

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (res)
		return res;
	if (!ctx)
		return primary_enter(thread_current()->device);
	if (!reset_count)
		return 0;
	device = primary_stale(ctx);
	return device < 0 ? 0 : primary_enter(device);
}

int device_current(int *device)
{
	CUcontext ctx = NULL;
	int res = driver_open();

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (res)
		return res;
	if (ctx && (!reset_count || primary_stale(ctx) < 0))
		return driver_legacy.CtxGetDevice(device);
	*device = thread_current()->device;
	return 0;
}

EXPORT cudaError_t cudaSetDevice(int device)
{
	CUdevice handle;
	int res = driver_open();

	if (!res)
		res = driver_legacy.DeviceGet(&handle, device);
	if (!res)
		res = primary_enter(device);
	if (!res)
		thread_current()->device = device;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetDevice(int *device)
{
	int found = 0;
	int res = device ? device_current(&found) : cudaErrorInvalidValue;

	if (!res)
		*device = found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaInitDevice(int device, unsigned int device_flags,
				  unsigned int flags)
{
	CUcontext ctx;
	int res = driver_open();

	if (!res && flags & ~cudaInitDeviceFlagsAreValid)
		res = cudaErrorInvalidValue;
	if (!res && flags & cudaInitDeviceFlagsAreValid)
		res = driver_legacy.DevicePrimaryCtxSetFlags(device,
							     device_flags);
	if (!res)
		res = primary_open(device, &ctx);
	return runtime_result(res);
}

/* Threads that have the context current make it again at their next call. */
EXPORT cudaError_t cudaDeviceReset(void)
{
	int device = 0;
	int res = device_current(&device);

	if (res)
		return runtime_result(res);
	pthread_mutex_lock(&lock);
	res = driver_legacy.DevicePrimaryCtxReset(device);
	if (!res && primaries[device].open) {
		primaries[device].open = NULL;
		primaries[device].reset = true;
		reset_count++;
	}
	pthread_mutex_unlock(&lock);
	return runtime_result(res);
}

EXPORT cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	int device = 0;
	int res = device_current(&device);

	if (!res)
		res = driver_legacy.DevicePrimaryCtxSetFlags(device, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	unsigned int found = 0;
	int active, device = 0;
	int res = flags ? device_current(&device) : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.DevicePrimaryCtxGetState(device, &found,
							     &active);
	if (!res)
		*flags = found;
	return runtime_result(res);
}
