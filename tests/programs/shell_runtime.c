/* The runtime's calls. Each answer starts with the call's result and the last
 * error after the call. */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell.h"

static void answer(cudaError_t result)
{
	printf("%d %d", (int)result, (int)cudaPeekAtLastError());
}

static void print_memory(struct shell_memory *memory, cudaError_t result,
			 void *ptr, size_t size)
{
	answer(result);
	shell_print_pointer((uint64_t)ptr, (uint64_t)memory);
	if (result)
		return;
	memory->addr = (uint64_t)ptr;
	memory->size = size;
}

static void run_alloc(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	size_t size = shell_size(words[1]);
	void *ptr = memory;
	cudaError_t result = cudaMalloc(&ptr, size);

	print_memory(memory, result, ptr, size);
}

static void run_alloc_null(char **words)
{
	answer(cudaMalloc(NULL, shell_size(words[0])));
}

static void run_type(char **words)
{
	struct cudaPointerAttributes attributes = {0};
	cudaError_t result = cudaPointerGetAttributes(
		&attributes, (const void *)shell_memory(words[0])->addr);

	printf("%d %d", (int)result, (int)attributes.type);
}

static void run_face(char **words)
{
	struct cudaPointerAttributes at = {0};
	char *ptr = (char *)shell_memory(words[0])->addr;
	cudaError_t result = cudaPointerGetAttributes(&at, ptr);

	printf("%d type %d device %d at %ld host %d", (int)result, (int)at.type,
	       at.device, (long)((char *)at.devicePointer - ptr),
	       at.hostPointer != NULL);
}

static void run_managed(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	size_t size = shell_size(words[1]);
	void *ptr = memory;
	cudaError_t result = cudaMallocManaged(&ptr, size, cudaMemAttachGlobal);

	print_memory(memory, result, ptr, size);
}

static void run_pitch(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	size_t width = shell_size(words[1]), height = shell_size(words[2]);
	size_t pitch = 0;
	void *ptr = memory;
	cudaError_t result = cudaMallocPitch(&ptr, &pitch, width, height);

	print_memory(memory, result, ptr, pitch * height);
}

static void run_alloc_async(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	size_t size = shell_size(words[1]);
	void *ptr = memory;
	cudaError_t result = cudaMallocAsync(&ptr, size, NULL);

	print_memory(memory, result, ptr, size);
}

static void run_free(char **words)
{
	answer(cudaFree((void *)shell_memory(words[0])->addr));
}

static void run_free_inside(char **words)
{
	answer(cudaFree(
		(void *)(shell_memory(words[0])->addr + shell_size(words[1]))));
}

static void run_free_async(char **words)
{
	answer(cudaFreeAsync((void *)shell_memory(words[0])->addr, NULL));
}

static void run_free_at(char **words)
{
	answer(cudaFree((void *)shell_address(words[0])));
}

static void run_addr(char **words)
{
	printf("%llx", (unsigned long long)shell_memory(words[0])->addr);
}

static void run_info(char **words)
{
	size_t free_bytes = 0, total = 0;
	cudaError_t result = cudaMemGetInfo(&free_bytes, &total);

	(void)words;
	answer(result);
	printf(" %zu %zu", free_bytes, total);
}

static void run_info_null(char **words)
{
	(void)words;
	answer(cudaMemGetInfo(NULL, NULL));
}

static void run_fill(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);

	answer(cudaMemset((void *)memory->addr, atoi(words[1]), memory->size));
}

static void run_check(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	unsigned char *bytes = calloc(1, memory->size + 1);
	cudaError_t result = cudaMemcpy(bytes, (void *)memory->addr,
					memory->size, cudaMemcpyDeviceToHost);

	answer(result);
	printf(" %s", shell_all(bytes, memory->size, atoi(words[1])) ? "right"
								     : "wrong");
	free(bytes);
}

static void run_count(char **words)
{
	int count = -1;
	cudaError_t result = cudaGetDeviceCount(&count);

	(void)words;
	answer(result);
	printf(" %d", count);
}

static void run_device(char **words)
{
	answer(cudaSetDevice(atoi(words[0])));
}

static void run_pin(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	void *addr = NULL;
	cudaError_t result = cudaHostAlloc(&addr, shell_size(words[1]),
					   (unsigned int)atoi(words[2]));

	if (!result) {
		memory->addr = (uint64_t)addr;
		memory->size = shell_size(words[1]);
	}
	answer(result);
}

static void run_unpin(char **words)
{
	answer(cudaFreeHost((void *)shell_memory(words[0])->addr));
}

static void run_sync(char **words)
{
	(void)words;
	answer(cudaDeviceSynchronize());
}

static void nothing(void *arg)
{
	(void)arg;
}

/* From now on more than one stream is in use. */
static void run_mix(char **words)
{
	(void)words;
	answer(cudaLaunchHostFunc(cudaStreamPerThread, nothing, NULL));
}

static void run_reset(char **words)
{
	(void)words;
	answer(cudaDeviceReset());
}

static void run_last(char **words)
{
	(void)words;
	printf("%d", (int)cudaGetLastError());
}

static void *driver_entry(const char *name, int version)
{
	void *entry = NULL;

	cudaGetDriverEntryPointByVersion(name, &entry, version,
					 cudaEnableLegacyStream, NULL);
	return entry;
}

/* Answers whether the thread has a context, by calls that can't make one. */
static void run_bound(char **words)
{
	CUcontext context = NULL;
	PFN_cuCtxGetCurrent_v4000 get = (PFN_cuCtxGetCurrent_v4000)driver_entry(
		"cuCtxGetCurrent", 4000);

	(void)words;
	printf("%s", get && !get(&context) && context ? "yes" : "no");
}

/* Resets the primary context behind the runtime's back. */
static void run_primary_reset(char **words)
{
	PFN_cuDevicePrimaryCtxReset_v11000 reset =
		(PFN_cuDevicePrimaryCtxReset_v11000)driver_entry(
			"cuDevicePrimaryCtxReset", 11000);

	printf("%d", reset ? (int)reset(atoi(words[0])) : -1);
}

/* Makes so many allocations and frees of that size, one after the other. */
static void run_pairs(char **words)
{
	size_t size = shell_size(words[0]);
	cudaError_t result = cudaSuccess;
	void *ptr = NULL;

	for (int i = atoi(words[1]); i && !result; i--) {
		result = cudaMalloc(&ptr, size);
		if (!result)
			result = cudaFree(ptr);
	}
	printf("%d", (int)result);
}

const struct shell_command shell_form[] = {
	{"alloc", 2, run_alloc},
	{"alloc_null", 1, run_alloc_null},
	{"managed", 2, run_managed},
	{"type", 1, run_type},
	{"face", 1, run_face},
	{"pitch", 3, run_pitch},
	{"alloc_async", 2, run_alloc_async},
	{"free", 1, run_free},
	{"free_inside", 2, run_free_inside},
	{"free_async", 1, run_free_async},
	{"free_at", 1, run_free_at},
	{"addr", 1, run_addr},
	{"info", 0, run_info},
	{"info_null", 0, run_info_null},
	{"fill", 2, run_fill},
	{"check", 2, run_check},
	{"count", 0, run_count},
	{"device", 1, run_device},
	{"pin", 3, run_pin},
	{"unpin", 1, run_unpin},
	{"sync", 0, run_sync},
	{"mix", 0, run_mix},
	{"reset", 0, run_reset},
	{"last", 0, run_last},
	{"bound", 0, run_bound},
	{"primary_reset", 1, run_primary_reset},
	{"pairs", 2, run_pairs},
	{NULL, 0, NULL},
};

const struct shell_command *const shell_more[] = {shell_process, shell_threads,
						  NULL};
