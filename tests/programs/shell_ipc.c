/* Memory that two programs share: what one writes into a file, another opens.
 * Each answer starts with the call's result. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "handle_get.h"
#include "shell.h"

static CUresult get_of(CUipcMemHandle *handle, char **words)
{
	return handle_get(handle,
			  shell_memory(words[0])->addr + shell_size(words[1]));
}

static void run_export(char **words)
{
	CUipcMemHandle handle;

	printf("%d", (int)get_of(&handle, words));
}

/* Takes named memory, an offset into it, and the file for its handle. Answers
 * with a number that is the same for equal handles as well. */
static void run_export_to(char **words)
{
	CUipcMemHandle handle;
	CUresult result = get_of(&handle, words);
	uint64_t sum = 0;
	FILE *file;

	printf("%d", (int)result);
	if (result)
		return;
	for (size_t i = 0; i < sizeof(handle); i++)
		sum = sum * 31 + (unsigned char)handle.reserved[i];
	printf(" %llx", (unsigned long long)sum);
	file = fopen(words[2], "wb");
	if (!file || fwrite(&handle, sizeof(handle), 1, file) != 1)
		printf(" not written");
	if (file)
		fclose(file);
}

/* Takes a name for what is opened, and the file with its handle. */
static void run_import_from(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	CUipcMemHandle handle;
	FILE *file = fopen(words[1], "rb");
	CUdeviceptr addr = 0;
	CUresult result;

	if (!file || fread(&handle, sizeof(handle), 1, file) != 1)
		memset(&handle, 0, sizeof(handle));
	if (file)
		fclose(file);
	result = cuIpcOpenMemHandle(&addr, handle,
				    CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	printf("%d", (int)result);
	if (result)
		return;
	memory->addr = addr;
	cuMemGetAddressRange(NULL, &memory->size, addr);
}

static void run_import_close(char **words)
{
	printf("%d", (int)cuIpcCloseMemHandle(shell_memory(words[0])->addr));
}

/* Answers with what UCX, Open MPI and NCCL ask of an address: whether it has a
 * context, and that is the current one; whether its handles are of the old
 * kind; which others there are; whether it has a pool; and the mapping that it
 * is in, by how far before it that starts, and by its size. */
static void run_facts(char **words)
{
	CUpointer_attribute names[] = {
		CU_POINTER_ATTRIBUTE_CONTEXT,
		CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
		CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
		CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
		CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
		CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
	};
	CUdeviceptr addr = shell_memory(words[0])->addr, base = 0;
	CUcontext context = NULL, current = NULL;
	unsigned long long kinds = 0;
	CUmemoryPool pool = NULL;
	size_t size = 0;
	int legacy = -1;
	void *answers[] = {&context, &legacy, &kinds, &pool, &base, &size};
	CUresult result = cuPointerGetAttributes(sizeof(names) / sizeof(*names),
						 names, answers, addr);

	cuCtxGetCurrent(&current);
	printf("%d context %d legacy %d kinds %llu pool %d mapping %ld %zu",
	       (int)result, context && context == current, legacy, kinds,
	       pool != NULL, (long)(addr - base), size);
}

/* Takes named memory, an offset and a size. */
static void run_range_handle(char **words)
{
	int handle = 0;

	printf("%d",
	       (int)cuMemGetHandleForAddressRange(
		       &handle,
		       shell_memory(words[0])->addr + shell_size(words[1]),
		       shell_size(words[2]),
		       CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}

const struct shell_command shell_ipc[] = {
	{"export", 2, run_export},
	{"export_to", 3, run_export_to},
	{"import_from", 2, run_import_from},
	{"import_close", 1, run_import_close},
	{"facts", 1, run_facts},
	{"range_handle", 3, run_range_handle},
	{NULL, 0, NULL},
};
