/* Green contexts by the driver's calls. */
#include <cuda.h>
#include <stdio.h>

#include "shell.h"

static void made(const char *name, CUresult result, const void *handle)
{
	printf("%d", (int)result);
	if (!result)
		shell_memory(name)->addr = (uint64_t)handle;
}

/* Makes a green context of device 0. It does not become current. */
static void run_green(char **words)
{
	CUdevResourceDesc desc;
	CUdevResource all, part;
	CUgreenCtx green = NULL;
	unsigned int groups = 1;
	CUresult result =
		cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM);

	if (!result)
		result = cuDevSmResourceSplitByCount(&part, &groups, &all, NULL,
						     0, 8);
	if (!result)
		result = cuDevResourceGenerateDesc(&desc, &part, 1);
	if (!result)
		result = cuGreenCtxCreate(&green, desc, 0,
					  CU_GREEN_CTX_DEFAULT_STREAM);
	made(words[0], result, green);
}

static void run_green_set(char **words)
{
	CUcontext context;
	CUresult result = cuCtxFromGreenCtx(
		&context, (CUgreenCtx)shell_memory(words[0])->addr);

	printf("%d", (int)(result ? result : cuCtxSetCurrent(context)));
}

static void run_green_stream(char **words)
{
	CUstream stream = NULL;
	CUresult result = cuGreenCtxStreamCreate(
		&stream, (CUgreenCtx)shell_memory(words[1])->addr,
		CU_STREAM_NON_BLOCKING, 0);

	made(words[0], result, stream);
}

static void run_green_destroy(char **words)
{
	printf("%d", (int)cuGreenCtxDestroy(
			     (CUgreenCtx)shell_memory(words[0])->addr));
}

const struct shell_command shell_green[] = {
	{"green", 1, run_green},
	{"green_set", 1, run_green_set},
	{"green_stream", 2, run_green_stream},
	{"green_destroy", 1, run_green_destroy},
	{NULL, 0, NULL},
};
