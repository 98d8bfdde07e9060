/* The driver's calls. Each answer starts with the call's result. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

static void answer(CUresult result)
{
	printf("%d", (int)result);
}

static void run_init(char **words)
{
	(void)words;
	answer(cuInit(0));
}

static void run_count(char **words)
{
	int count = -1;
	CUresult result = cuDeviceGetCount(&count);

	(void)words;
	answer(result);
	printf(" %d", count);
}

static void run_alloc(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	size_t size = shell_size(words[1]);
	CUdeviceptr ptr = (CUdeviceptr)memory;
	CUresult result = cuMemAlloc(&ptr, size);

	answer(result);
	shell_print_pointer(ptr, (CUdeviceptr)memory);
	if (result)
		return;
	memory->addr = ptr;
	memory->size = size;
}

static void run_alloc_null(char **words)
{
	answer(cuMemAlloc(NULL, shell_size(words[0])));
}

static void run_free(char **words)
{
	answer(cuMemFree(shell_memory(words[0])->addr));
}

static void run_free_inside(char **words)
{
	answer(cuMemFree(shell_memory(words[0])->addr + shell_size(words[1])));
}

static void run_free_at(char **words)
{
	answer(cuMemFree(shell_address(words[0])));
}

static void run_addr(char **words)
{
	printf("%llx", (unsigned long long)shell_memory(words[0])->addr);
}

static void run_info(char **words)
{
	size_t free_bytes = 0, total = 0;
	CUresult result = cuMemGetInfo(&free_bytes, &total);

	(void)words;
	answer(result);
	printf(" %zu %zu", free_bytes, total);
}

static void run_info_null(char **words)
{
	(void)words;
	answer(cuMemGetInfo(NULL, NULL));
}

static void run_fill(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);

	answer(cuMemsetD8(memory->addr, (unsigned char)atoi(words[1]),
			  memory->size));
}

static void run_check(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	unsigned char *bytes = calloc(1, memory->size + 1);

	answer(cuMemcpyDtoH(bytes, memory->addr, memory->size));
	printf(" %s", shell_all(bytes, memory->size, atoi(words[1])) ? "right"
								     : "wrong");
	free(bytes);
}

static CUcontext context_of(const char *name)
{
	return strcmp(name, "none") ? (CUcontext)shell_memory(name)->addr
				    : NULL;
}

static void context_set(const char *name, CUcontext context)
{
	shell_memory(name)->addr = (uint64_t)context;
}

static void run_create(char **words)
{
	CUcontext context = NULL;
	CUresult result = cuCtxCreate(&context, NULL, 0, atoi(words[1]));

	answer(result);
	if (!result)
		context_set(words[0], context);
}

static void run_destroy(char **words)
{
	answer(cuCtxDestroy(context_of(words[0])));
}

static void run_set(char **words)
{
	answer(cuCtxSetCurrent(context_of(words[0])));
}

static void run_push(char **words)
{
	answer(cuCtxPushCurrent(context_of(words[0])));
}

static void run_pop(char **words)
{
	CUcontext context = NULL;
	CUresult result = cuCtxPopCurrent(&context);

	answer(result);
	printf(" %s", context == context_of(words[0]) ? "it" : "another");
}

/* Whether that context is the thread's. */
static void run_is(char **words)
{
	CUcontext context = NULL;
	CUresult result = cuCtxGetCurrent(&context);

	answer(result);
	printf(" %s", context == context_of(words[0]) ? "it" : "another");
}

static void run_retain(char **words)
{
	CUcontext context = NULL;
	CUresult result = cuDevicePrimaryCtxRetain(&context, atoi(words[1]));

	answer(result);
	if (!result)
		context_set(words[0], context);
}

static void run_release(char **words)
{
	answer(cuDevicePrimaryCtxRelease(atoi(words[0])));
}

static void run_primary_reset(char **words)
{
	answer(cuDevicePrimaryCtxReset(atoi(words[0])));
}

static void run_sync(char **words)
{
	(void)words;
	answer(cuCtxSynchronize());
}

static void run_export(char **words)
{
	CUipcMemHandle handle;

	answer(cuIpcGetMemHandle(&handle, shell_memory(words[0])->addr +
						  shell_size(words[1])));
}

static void run_peers(char **words)
{
	answer(cuCtxEnablePeerAccess(context_of(words[0]), 0));
}

const struct shell_command shell_form[] = {
	{"init", 0, run_init},
	{"count", 0, run_count},
	{"alloc", 2, run_alloc},
	{"alloc_null", 1, run_alloc_null},
	{"free", 1, run_free},
	{"free_inside", 2, run_free_inside},
	{"free_at", 1, run_free_at},
	{"addr", 1, run_addr},
	{"info", 0, run_info},
	{"info_null", 0, run_info_null},
	{"fill", 2, run_fill},
	{"check", 2, run_check},
	{"create", 2, run_create},
	{"destroy", 1, run_destroy},
	{"set", 1, run_set},
	{"push", 1, run_push},
	{"pop", 1, run_pop},
	{"is", 1, run_is},
	{"retain", 2, run_retain},
	{"release", 1, run_release},
	{"primary_reset", 1, run_primary_reset},
	{"sync", 0, run_sync},
	{"peers", 1, run_peers},
	{"export", 2, run_export},
	{NULL, 0, NULL},
};

const struct shell_command *const shell_more[] = {shell_graphs, shell_process,
						  NULL};
