/* cudaMalloc and cudaFree, as a program calls them. A preloaded library may
 * answer. Linked with the shared runtime, and with the static one. */
#include <cuda_runtime_api.h>

#include "allocator.h"
#include "contender.h"
#include "fail.h"

int bench_open(void)
{
	return cudaFree(NULL) != cudaSuccess;
}

/* PyTorch's threads do this as well: some preloaded libraries ask for the
 * context. */
int bench_enter(void)
{
	return cudaSetDevice(0) != cudaSuccess;
}

void *bench_alloc(size_t size)
{
	void *ptr;

	return cudaMalloc(&ptr, size) ? NULL : ptr;
}

void bench_free(void *ptr, size_t size)
{
	cudaError_t res = cudaFree(ptr);

	(void)size;
	if (res)
		fail("cudaFree", cudaGetErrorString(res));
}

const char *bench_version(void)
{
	static char text[32];
	int version = 0;

	cudaRuntimeGetVersion(&version);
	snprintf(text, sizeof(text), "CUDA runtime %d.%d", version / 1000,
		 version % 1000 / 10);
	return text;
}
