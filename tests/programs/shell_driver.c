/* The driver's calls. Each answer starts with the call's result. */
#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Answers whether that context is the thread's. */
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

static void run_peers(char **words)
{
	answer(cuCtxEnablePeerAccess(context_of(words[0]), 0));
}

static CUstream stream_of(const char *name)
{
	if (!strcmp(name, "zero"))
		return NULL;
	if (!strcmp(name, "legacy"))
		return CU_STREAM_LEGACY;
	if (!strcmp(name, "thread"))
		return CU_STREAM_PER_THREAD;
	return (CUstream)shell_memory(name)->addr;
}

static void run_stream(char **words)
{
	CUstream stream = NULL;

	answer(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	shell_memory(words[0])->addr = (uint64_t)stream;
}

static void run_stream_end(char **words)
{
	answer(cuStreamDestroy(stream_of(words[0])));
}

/* Fills memory in a stream. */
static void run_put(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);

	answer(cuMemsetD8Async(memory->addr, (unsigned char)atoi(words[2]),
			       memory->size, stream_of(words[1])));
}

static void linger(void *arg)
{
	(void)arg;
	usleep(50000);
}

/* Queues work that takes a while. */
static void run_linger(char **words)
{
	answer(cuLaunchHostFunc(stream_of(words[0]), linger, NULL));
}

static atomic_bool let_go;

static void hold(void *arg)
{
	(void)arg;
	for (int left_ms = 60000; left_ms > 0 && !let_go; left_ms--)
		usleep(1000);
}

/* Queues work that lasts until `let_go`. So calls before that one come before
 * the work's end, even on the slowest machine. */
static void run_hold(char **words)
{
	let_go = false;
	answer(cuLaunchHostFunc(stream_of(words[0]), hold, NULL));
}

static void run_let_go(char **words)
{
	(void)words;
	let_go = true;
	answer(CUDA_SUCCESS);
}

static void run_wait(char **words)
{
	answer(cuStreamSynchronize(stream_of(words[0])));
}

static void nothing(void *arg)
{
	(void)arg;
}

/* From now on more than one stream is in use. */
static void run_mix(char **words)
{
	(void)words;
	answer(cuLaunchHostFunc(CU_STREAM_PER_THREAD, nothing, NULL));
}

static void run_capture(char **words)
{
	answer(cuStreamBeginCapture(stream_of(words[0]),
				    CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static void run_capture_end(char **words)
{
	CUgraph graph = NULL;
	CUresult result = cuStreamEndCapture(stream_of(words[0]), &graph);

	answer(result ? result : cuGraphDestroy(graph));
}

/* Makes calls that can't succeed, as they have no kernel or no graph. */
static void run_overlap(char **words)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value.programmaticStreamSerializationAllowed = atoi(words[1]),
	};
	CUlaunchConfig config = {.hStream = stream_of(words[0]),
				 .attrs = &attribute,
				 .numAttrs = 1};

	answer(cuLaunchKernelEx(&config, NULL, NULL, NULL));
}

static void run_device_graph(char **words)
{
	CUgraphExec exec;

	(void)words;
	answer(cuGraphInstantiateWithFlags(
		&exec, NULL, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
}

static void run_table(char **words)
{
	const CUuuid id = {{0}};
	const void *table;

	(void)words;
	answer(cuGetExportTable(&table, &id));
}

static void run_door(char **words)
{
	void *entry = NULL;

	answer(cuGetProcAddress(words[0], &entry, CUDA_VERSION,
				CU_GET_PROC_ADDRESS_DEFAULT, NULL));
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
	{"stream", 1, run_stream},
	{"stream_end", 1, run_stream_end},
	{"put", 3, run_put},
	{"linger", 1, run_linger},
	{"hold", 1, run_hold},
	{"let_go", 0, run_let_go},
	{"wait", 1, run_wait},
	{"mix", 0, run_mix},
	{"capture", 1, run_capture},
	{"capture_end", 1, run_capture_end},
	{"overlap", 2, run_overlap},
	{"device_graph", 0, run_device_graph},
	{"table", 0, run_table},
	{"door", 1, run_door},
	{NULL, 0, NULL},
};

const struct shell_command *const shell_more[] = {
	shell_graphs, shell_pinned, shell_answers, shell_green,
	shell_doors,  shell_visits, shell_kinds,   shell_mempools,
	shell_ipc,    shell_api,    shell_process, shell_threads,
	NULL};
