/* Ways to change the driver's current context, besides those that cuda.h has
 * for new programs; and whose memory is. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell.h"

/* Returns the export of exactly that name. The macros of cuda.h name newer
 * versions. */
static void *export_of(const char *name)
{
	void *entry = dlsym(RTLD_DEFAULT, name);

	if (!entry)
		exit(2);
	return entry;
}

typedef CUresult create_call(CUcontext *out, unsigned int flags, CUdevice);

/* Takes the version of cuCtxCreate, the context's name, and its device. */
static void run_create_by(char **words)
{
	create_call *create = (create_call *)export_of(words[0]);
	CUcontext context = NULL;
	CUresult result = create(&context, 0, atoi(words[2]));

	printf("%d", (int)result);
	if (!result)
		shell_memory(words[1])->addr = (uint64_t)context;
}

typedef CUresult context_call(CUcontext context);
typedef CUresult pop_call(CUcontext *out);

/* Calls an entry that takes a context. */
static void run_context_by(char **words)
{
	context_call *call = (context_call *)export_of(words[0]);

	printf("%d", (int)call((CUcontext)shell_memory(words[1])->addr));
}

/* Returns libc's own dlsym, which no library can come before. */
static void *dlsym_of_libc(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17",
					       "GLIBC_2.2.5"};
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), *found = NULL;

	for (int i = 0; i < 3 && !found; i++)
		found = dlvsym(libc, "dlsym", versions[i]);
	if (!found)
		exit(2);
	return found;
}

typedef CUresult retain_call(CUcontext *out, CUdevice);
typedef void *dlsym_call(void *library, const char *name);

/* Returns the driver's own entry. */
static void *unseen(const char *name)
{
	dlsym_call *find = (dlsym_call *)dlsym_of_libc();

	return find(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), name);
}

/* Sets the context by the driver's own entry, which no hook sees. */
static void run_set_unseen(char **words)
{
	context_call *set = (context_call *)unseen("cuCtxSetCurrent");

	printf("%d", (int)set((CUcontext)shell_memory(words[0])->addr));
}

static void run_destroy_unseen(char **words)
{
	context_call *destroy = (context_call *)unseen("cuCtxDestroy_v2");

	printf("%d", (int)destroy((CUcontext)shell_memory(words[0])->addr));
}

static void run_create_unseen(char **words)
{
	create_call *create = (create_call *)unseen("cuCtxCreate_v2");
	CUcontext context = NULL;
	CUresult result = create(&context, 0, atoi(words[1]));

	printf("%d", (int)result);
	if (!result)
		shell_memory(words[0])->addr = (uint64_t)context;
}

static void run_retain_unseen(char **words)
{
	retain_call *retain = (retain_call *)unseen("cuDevicePrimaryCtxRetain");
	CUcontext context = NULL;
	CUresult result = retain(&context, atoi(words[1]));

	printf("%d", (int)result);
	if (!result)
		shell_memory(words[0])->addr = (uint64_t)context;
}

static void run_pop_by(char **words)
{
	pop_call *pop = (pop_call *)export_of(words[0]);
	CUcontext context = NULL;

	printf("%d", (int)pop(&context));
}

/* Answers whether memory belongs to that context, and to which device. */
static void run_owner(char **words)
{
	CUdeviceptr addr = shell_memory(words[0])->addr;
	CUcontext context = NULL;
	int ordinal = -1;
	CUresult result = cuPointerGetAttribute(
		&context, CU_POINTER_ATTRIBUTE_CONTEXT, addr);

	if (!result)
		result = cuPointerGetAttribute(
			&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addr);
	printf("%d %s %d", (int)result,
	       (uint64_t)context == shell_memory(words[1])->addr ? "it"
								 : "another",
	       ordinal);
}

/* Makes so many allocations and frees of that size, one after the other. */
static void run_pairs(char **words)
{
	size_t size = shell_size(words[0]);
	CUresult result = CUDA_SUCCESS;
	CUdeviceptr addr = 0;

	for (int i = atoi(words[1]); i && !result; i--) {
		result = cuMemAlloc(&addr, size);
		if (!result)
			result = cuMemFree(addr);
	}
	printf("%d", (int)result);
}

/* Makes so many allocations of many sizes, of which up to 256 live, and frees
 * all of them: a recording of that compresses badly. */
static void run_mixed(char **words)
{
	CUdeviceptr addrs[256] = {0};
	CUresult result = CUDA_SUCCESS;
	unsigned int drawn = 1, at;

	for (int i = atoi(words[0]); i && !result; i--) {
		drawn = drawn * 1103515245 + 12345;
		at = drawn >> 8 & 255;
		if (addrs[at])
			result = cuMemFree(addrs[at]);
		if (!result)
			result = cuMemAlloc(&addrs[at], (drawn >> 8) + 1);
	}
	for (at = 0; at < 256 && !result; at++)
		if (addrs[at])
			result = cuMemFree(addrs[at]);
	printf("%d", (int)result);
}

const struct shell_command shell_doors[] = {
	{"create_by", 3, run_create_by},
	{"context_by", 2, run_context_by},
	{"pop_by", 1, run_pop_by},
	{"create_unseen", 2, run_create_unseen},
	{"destroy_unseen", 1, run_destroy_unseen},
	{"retain_unseen", 2, run_retain_unseen},
	{"set_unseen", 1, run_set_unseen},
	{"owner", 2, run_owner},
	{"pairs", 2, run_pairs},
	{"mixed", 1, run_mixed},
	{NULL, 0, NULL},
};
