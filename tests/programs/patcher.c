/* Patches the entries that allocate and free memory, as UCX does to see all
 * allocations of a process, and counts the calls.
 * Usage: patcher early|late found|real driver|runtime|pinned|runtime-pinned
 *   early, late   before any other call of CUDA, or after some
 *   found, real   the functions that dlsym finds, or those of CUDA's library
 *   driver, ...   the calls by which the program asks
 * Then two blocks that are too large to exist at the same time come and go. At
 * the end the entries are restored. */
#define __CUDA_API_VERSION_INTERNAL
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "relocate.h"

enum { ROUNDS = 20, BLOCK = 5000, LARGE = 60 << 20, LARGER = 61 << 20 };

static struct {
	int allocs, frees;
} seen;

#define BEHIND(symbol) static __typeof__(symbol) *behind_##symbol
BEHIND(cuMemAlloc_v2);
BEHIND(cuMemFree_v2);
BEHIND(cuMemHostAlloc);
BEHIND(cuMemAllocHost_v2);
BEHIND(cuMemFreeHost);

static CUresult alloc_seen(CUdeviceptr *out, size_t size)
{
	CUresult res = behind_cuMemAlloc_v2(out, size);

	seen.allocs += !res;
	return res;
}

static CUresult free_seen(CUdeviceptr ptr)
{
	seen.frees++;
	return behind_cuMemFree_v2(ptr);
}

static CUresult pin_seen(void **out, size_t size, unsigned int flags)
{
	CUresult res = behind_cuMemHostAlloc(out, size, flags);

	seen.allocs += !res;
	return res;
}

static CUresult pin_plainly_seen(void **out, size_t size)
{
	CUresult res = behind_cuMemAllocHost_v2(out, size);

	seen.allocs += !res;
	return res;
}

static CUresult unpin_seen(void *ptr)
{
	seen.frees++;
	return behind_cuMemFreeHost(ptr);
}

typedef void *lookup(void *handle, const char *symbol);

static struct patch {
	const char *symbol;
	void *seen, **behind, *entry;
} patches[] = {
	{"cuMemAlloc_v2", alloc_seen, (void **)&behind_cuMemAlloc_v2, NULL},
	{"cuMemFree_v2", free_seen, (void **)&behind_cuMemFree_v2, NULL},
	{"cuMemHostAlloc", pin_seen, (void **)&behind_cuMemHostAlloc, NULL},
	{"cuMemAllocHost_v2", pin_plainly_seen,
	 (void **)&behind_cuMemAllocHost_v2, NULL},
	{"cuMemFreeHost", unpin_seen, (void **)&behind_cuMemFreeHost, NULL},
	{NULL, NULL, NULL, NULL},
};

static bool patch_all(bool real)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	lookup *look = dlsym;

	if (real) /* past all that is preloaded */
		look = (lookup *)dlvsym(libc, "dlsym", "GLIBC_2.2.5");
	for (struct patch *patch = patches; patch->symbol; patch++) {
		patch->entry = look(driver, patch->symbol);
		if (!patch->entry ||
		    !entry_patch(patch->entry, patch->seen, patch->behind))
			return false;
	}
	return true;
}

static void restore_all(void)
{
	for (struct patch *patch = patches; patch->symbol; patch++)
		entry_restore(patch->entry, *patch->behind);
}

static int driver_alloc(void **out, size_t size)
{
	return (int)cuMemAlloc_v2((CUdeviceptr *)out, size);
}

static int driver_free(void *ptr)
{
	return (int)cuMemFree_v2((CUdeviceptr)ptr);
}

static int runtime_alloc(void **out, size_t size)
{
	return (int)cudaMalloc(out, size);
}

static int runtime_free(void *ptr)
{
	return (int)cudaFree(ptr);
}

static int pinned_alloc(void **out, size_t size)
{
	return (int)cuMemHostAlloc(out, size, 0);
}

static int pinned_free(void *ptr)
{
	return (int)cuMemFreeHost(ptr);
}

static int runtime_pinned_alloc(void **out, size_t size)
{
	return (int)cudaMallocHost(out, size);
}

static int runtime_pinned_free(void *ptr)
{
	return (int)cudaFreeHost(ptr);
}

static const struct door {
	const char *name;
	int (*alloc)(void **out, size_t size);
	int (*free)(void *ptr);
} doors[] = {
	{"driver", driver_alloc, driver_free},
	{"runtime", runtime_alloc, runtime_free},
	{"pinned", pinned_alloc, pinned_free},
	{"runtime-pinned", runtime_pinned_alloc, runtime_pinned_free},
	{NULL, NULL, NULL},
};

static int rounds(const struct door *door)
{
	unsigned char got[BLOCK];
	void *ptr;
	int wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		wrong += door->alloc(&ptr, BLOCK) != 0;
		wrong += cuMemsetD8_v2((CUdeviceptr)ptr, (unsigned char)i,
				       BLOCK) != CUDA_SUCCESS;
		wrong += cuMemcpyDtoH_v2(got, (CUdeviceptr)ptr, BLOCK) !=
			 CUDA_SUCCESS;
		for (int k = 0; k < BLOCK; k++)
			wrong += got[k] != i;
		wrong += door->free(ptr) != 0;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	bool early = argc == 4 && !strcmp(argv[1], "early");
	bool real = argc == 4 && !strcmp(argv[2], "real");
	const struct door *door = doors;
	CUcontext context;
	void *ptr;
	int wrong = 0;

	while (argc == 4 && door->name && strcmp(door->name, argv[3]))
		door++;
	if (argc != 4 || !door->name)
		return 2;
	if (early && !patch_all(real))
		return 1;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context))
		return 1;
	if (!early) {
		wrong += rounds(door);
		if (!patch_all(real))
			return 1;
	}
	wrong += rounds(door);
	printf("wrong %d allocs %d frees %d\n", wrong, seen.allocs, seen.frees);
	wrong = door->alloc(&ptr, LARGE) || door->free(ptr);
	wrong += door->alloc(&ptr, LARGER) || door->free(ptr);
	printf("wrong %d allocs %d frees %d\n", wrong, seen.allocs, seen.frees);
	restore_all();
	wrong = rounds(door);
	printf("wrong %d allocs %d frees %d\n", wrong, seen.allocs, seen.frees);
	return 0;
}
