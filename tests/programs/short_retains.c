/* Retains and releases the primary context while the device is out of memory at
 * times, and while another thread allocates, frees and resets the device.
 * Prints "ended", which has to come. */
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TURNS = 200000, SIZE = 40 << 20 };

static atomic_int ended;

static void *reset(void *arg)
{
	void *block;

	(void)arg;
	while (!ended) {
		if (!cudaMalloc(&block, SIZE))
			cudaFree(block);
		cudaDeviceReset();
	}
	return NULL;
}

static void *entry(const char *name, unsigned int version)
{
	void *found = NULL;

	cudaGetDriverEntryPointByVersion(name, &found, version,
					 cudaEnableLegacyStream, NULL);
	return found;
}

int main(void)
{
	PFN_cuDevicePrimaryCtxRetain_v7000 retain;
	PFN_cuDevicePrimaryCtxRelease_v11000 release;
	CUcontext context;
	pthread_t thread;

	cudaFree(NULL);
	retain = (PFN_cuDevicePrimaryCtxRetain_v7000)entry(
		"cuDevicePrimaryCtxRetain", 7000);
	release = (PFN_cuDevicePrimaryCtxRelease_v11000)entry(
		"cuDevicePrimaryCtxRelease", 11000);
	if (!retain || !release || pthread_create(&thread, NULL, reset, NULL))
		return 1;
	for (int i = 0; i < TURNS; i++)
		if (!retain(&context, 0))
			release(0);
	ended = 1;
	pthread_join(thread, NULL);
	puts("ended");
	return 0;
}
