/* A preload that serves cudaMalloc itself at times, as torch_memory_saver does,
 * and otherwise calls the next one. It tells how often it was asked. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

typedef int alloc_function(void **out, size_t size);
typedef int free_function(void *ptr);

__attribute__((visibility("default"))) alloc_function cudaMalloc;
__attribute__((visibility("default"))) free_function cudaFree;

static int allocs, frees;

int cudaMalloc(void **out, size_t size)
{
	alloc_function *next = (alloc_function *)dlsym(RTLD_NEXT, "cudaMalloc");

	allocs++;
	return next ? next(out, size) : 999;
}

int cudaFree(void *ptr)
{
	free_function *next = (free_function *)dlsym(RTLD_NEXT, "cudaFree");

	frees++;
	return next ? next(ptr) : 999;
}

__attribute__((destructor)) static void tell(void)
{
	if (allocs)
		fprintf(stderr, "taker: %d allocs %d frees\n", allocs, frees);
}
