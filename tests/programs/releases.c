/* Retains and releases the primary context, as libraries do, while other
 * threads allocate in it. Then resets the device and allocates anew. Prints
 * "errors N". */
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, TURNS = 3000, SIZE = 5000 };

static atomic_int ended, errors;

static void note(int result)
{
	errors += result != 0;
}

static void *allocate(void *arg)
{
	void *block;

	(void)arg;
	while (!ended) {
		note(cudaMalloc(&block, SIZE));
		note(cudaMemset(block, 1, SIZE));
		note(cudaFree(block));
	}
	return NULL;
}

static void *entry(const char *name, unsigned int version)
{
	void *found = NULL;

	note(cudaGetDriverEntryPointByVersion(name, &found, version,
					      cudaEnableLegacyStream, NULL));
	return found;
}

static void retain_and_release(void)
{
	PFN_cuDevicePrimaryCtxRetain_v7000 retain =
		(PFN_cuDevicePrimaryCtxRetain_v7000)entry(
			"cuDevicePrimaryCtxRetain", 7000);
	PFN_cuDevicePrimaryCtxRelease_v11000 release =
		(PFN_cuDevicePrimaryCtxRelease_v11000)entry(
			"cuDevicePrimaryCtxRelease", 11000);
	CUcontext context;

	for (int i = 0; i < TURNS; i++) {
		note(retain(&context, 0));
		note(release(0));
	}
}

int main(void)
{
	pthread_t threads[THREADS];
	void *blocks[THREADS];

	note(cudaFree(NULL));
	for (int i = 0; i < THREADS; i++)
		note(pthread_create(&threads[i], NULL, allocate, NULL));
	retain_and_release();
	ended = 1;
	for (int i = 0; i < THREADS; i++)
		note(pthread_join(threads[i], NULL));
	note(cudaDeviceReset());
	for (int i = 0; i < THREADS; i++) {
		note(cudaMalloc(&blocks[i], SIZE));
		note(cudaMemset(blocks[i], 2, SIZE));
	}
	for (int i = 0; i < THREADS; i++)
		note(cudaFree(blocks[i]));
	note(cudaDeviceReset());
	printf("errors %d\n", errors);
	return errors != 0;
}
