/* Preloaded: another library that interposes CUDA in a way that many use. Its
 * dlsym calls the next one, and hands out its own cuMemAlloc. Its cudaMalloc
 * looks for the next one. At the end it says how it was used. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_int looked, allocated, took;

typedef void *lookup(void *handle, const char *symbol);

static int (*driver_alloc)(unsigned long long *out, size_t size);

static int own_alloc(unsigned long long *out, size_t size)
{
	took++;
	return driver_alloc(out, size);
}

EXPORT void *dlsym(void *handle, const char *symbol)
{
	static lookup *behind;
	void *found;

	if (!behind)
		behind = (lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	if (!strncmp(symbol, "cu", 2))
		looked++;
	found = behind(handle, symbol);
	if (!found || strcmp(symbol, "cuMemAlloc_v2"))
		return found;
	driver_alloc = (int (*)(unsigned long long *, size_t))found;
	return (void *)own_alloc;
}

EXPORT int cudaMalloc(void **out, size_t size);

EXPORT int cudaMalloc(void **out, size_t size)
{
	int (*next)(void **out, size_t size) =
		(int (*)(void **, size_t))dlsym(RTLD_NEXT, "cudaMalloc");

	allocated++;
	return next(out, size);
}

__attribute__((destructor)) static void say(void)
{
	if (looked)
		dprintf(2, "other: looked%s took %d\n",
			allocated ? " allocated" : "", took);
}
