/* Writes a jump over the first bytes of cuMemAlloc_v2 and cuMemFree_v2, as UCX
 * does to see all allocations of a process. `patcher WHEN WHOM` patches before
 * any other call of CUDA or after some (early, late); the function that dlsym
 * finds, or that of CUDA's own library (found, real). */
#define __CUDA_API_VERSION_INTERNAL
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda.h>

enum { JUMP_SIZE = 14, ROUNDS = 20, BLOCK = 5000 };

struct patch {
	unsigned char *entry;
	unsigned char own[JUMP_SIZE], jump[JUMP_SIZE];
	int calls;
};

static struct patch alloc_patch, free_patch;

static void entry_write(struct patch *patch, const unsigned char *bytes)
{
	memcpy(patch->entry, bytes, JUMP_SIZE);
	__builtin___clear_cache((char *)patch->entry,
				(char *)patch->entry + JUMP_SIZE);
}

static bool patch_open(struct patch *patch, void *entry, void *ours)
{
	static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)entry & ~(size - 1);

	if (!entry || mprotect((void *)first, 2 * size,
			       PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	patch->entry = entry;
	memcpy(patch->own, entry, JUMP_SIZE);
	memcpy(patch->jump, jump, sizeof(jump));
	memcpy(patch->jump + sizeof(jump), &ours, sizeof(ours));
	entry_write(patch, patch->jump);
	return true;
}

/* The program has one thread, so the entry can be whole for its own call. */
static CUresult patched_alloc(CUdeviceptr *out, size_t size)
{
	CUresult res;

	alloc_patch.calls++;
	entry_write(&alloc_patch, alloc_patch.own);
	res = ((CUresult(*)(CUdeviceptr *, size_t))alloc_patch.entry)(out,
								      size);
	entry_write(&alloc_patch, alloc_patch.jump);
	return res;
}

static CUresult patched_free(CUdeviceptr ptr)
{
	CUresult res;

	free_patch.calls++;
	entry_write(&free_patch, free_patch.own);
	res = ((CUresult(*)(CUdeviceptr))free_patch.entry)(ptr);
	entry_write(&free_patch, free_patch.jump);
	return res;
}

typedef void *lookup(void *handle, const char *symbol);

static bool patch_all(bool real)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	lookup *look = dlsym;

	if (real) /* past all that is preloaded */
		look = (lookup *)dlvsym(libc, "dlsym", "GLIBC_2.2.5");
	return driver && look &&
	       patch_open(&alloc_patch, look(driver, "cuMemAlloc_v2"),
			  (void *)patched_alloc) &&
	       patch_open(&free_patch, look(driver, "cuMemFree_v2"),
			  (void *)patched_free);
}

static int rounds(void)
{
	unsigned char got[BLOCK];
	CUdeviceptr ptr;
	int wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		wrong += cuMemAlloc_v2(&ptr, BLOCK) != CUDA_SUCCESS;
		wrong += cuMemsetD8_v2(ptr, (unsigned char)i, BLOCK) !=
			 CUDA_SUCCESS;
		wrong += cuMemcpyDtoH_v2(got, ptr, BLOCK) != CUDA_SUCCESS;
		for (int k = 0; k < BLOCK; k++)
			wrong += got[k] != i;
		wrong += cuMemFree_v2(ptr) != CUDA_SUCCESS;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	bool early = argc == 3 && !strcmp(argv[1], "early");
	bool real = argc == 3 && !strcmp(argv[2], "real");
	CUcontext context;
	int wrong = 0;

	if (early && !patch_all(real))
		return 1;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context))
		return 1;
	if (!early) {
		wrong += rounds();
		if (!patch_all(real))
			return 1;
	}
	wrong += rounds();
	printf("wrong %d allocs %d frees %d\n", wrong, alloc_patch.calls,
	       free_patch.calls);
	return 0;
}
