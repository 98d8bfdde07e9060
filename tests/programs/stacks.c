/* Asks for memory in functions that others have called, each time for twice as
 * much, and frees none of it. Usage: stacks LIBRARY, the path of an
 * allocator's. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { SMALL = 1024, SMALLS = 100, DEPTH = 100 };

typedef int take_function(int (*alloc)(void **ptr, size_t size), void **ptr,
			  size_t size);

static take_function *rmm_take;
static size_t size = 1 << 20;

/* What follows a call keeps it from being the function's jump. */
#define AFTER __asm__ volatile("" : : : "memory")

static int alloc(void **ptr, size_t bytes)
{
	return (int)cudaMalloc(ptr, bytes);
}

static void took(int res)
{
	if (res)
		abort();
	size *= 2;
}

__attribute__((visibility("default"), noinline)) void at_load(void);

void at_load(void)
{
	void *ptr;

	took((int)cudaMalloc(&ptr, size));
	AFTER;
}

__attribute__((noinline)) static void layer_open(void)
{
	void *ptr;

	took(rmm_take((int (*)(void **, size_t))(void *)cudaMalloc, &ptr,
		      size));
	AFTER;
}

__attribute__((noinline)) static void model_open(void)
{
	layer_open();
	AFTER;
}

static int compare(const void *a, const void *b)
{
	void *ptr;

	if (size == 1 << 22)
		took(alloc(&ptr, size));
	return (int)(*(const char *)a - *(const char *)b);
}

__attribute__((noinline)) static void sort_open(void)
{
	char letters[] = "zyxw";

	qsort(letters, 4, 1, compare);
	AFTER;
}

static void *thread_open(void *unused)
{
	void *ptr;

	took((int)cudaMallocAsync(&ptr, size, NULL));
	AFTER;
	return unused;
}

__attribute__((noinline)) static void deep_open(int depth)
{
	void *ptr;

	if (depth)
		deep_open(depth - 1);
	else
		took((int)cudaMalloc(&ptr, size));
	AFTER;
}

__attribute__((noinline)) static void small_open(void)
{
	void *ptr;

	for (int i = 0; i < SMALLS; i++)
		if (cudaMalloc(&ptr, SMALL))
			abort();
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t thread;

	if (!library)
		return 2;
	rmm_take = (take_function *)dlsym(library, "rmm_take");
	model_open();
	sort_open();
	if (pthread_create(&thread, NULL, thread_open, NULL))
		return 1;
	pthread_join(thread, NULL);
	deep_open(DEPTH);
	small_open();
	return 0;
}
