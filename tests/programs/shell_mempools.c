/* CUDA's own pools, by the driver's calls. */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shell.h"

static CUmemoryPool pool_of(const char *name)
{
	return (CUmemoryPool)shell_memory(name)->addr;
}

static void made(const char *name, CUresult result, const void *handle)
{
	printf("%d", (int)result);
	if (!result)
		shell_memory(name)->addr = (uint64_t)handle;
}

/* Makes a pool of a device's memory, or of the host's. */
static void run_mempool(char **words)
{
	bool host = !strcmp(words[1], "host");
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {host ? CU_MEM_LOCATION_TYPE_HOST
				  : CU_MEM_LOCATION_TYPE_DEVICE,
			     host ? 0 : (int)shell_size(words[1])}};
	CUmemoryPool pool = NULL;
	CUresult result = cuMemPoolCreate(&pool, &props);

	made(words[0], result, pool);
}

static void run_mempool_default(char **words)
{
	CUmemoryPool pool = NULL;
	CUresult result =
		cuDeviceGetDefaultMemPool(&pool, (int)shell_size(words[1]));

	made(words[0], result, pool);
}

static void run_mempool_alloc(char **words)
{
	CUdeviceptr addr = 0;
	CUresult result = cuMemAllocFromPoolAsync(
		&addr, shell_size(words[2]), pool_of(words[1]),
		(CUstream)shell_memory(words[3])->addr);

	made(words[0], result, (const void *)addr);
}

/* Sets the release threshold. */
static void run_mempool_keep(char **words)
{
	cuuint64_t bytes = shell_size(words[1]);

	printf("%d", (int)cuMemPoolSetAttribute(
			     pool_of(words[0]),
			     CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
}

static void run_mempool_trim(char **words)
{
	printf("%d",
	       (int)cuMemPoolTrimTo(pool_of(words[0]), shell_size(words[1])));
}

static void run_mempool_destroy(char **words)
{
	printf("%d", (int)cuMemPoolDestroy(pool_of(words[0])));
}

/* Prints the bytes that are reserved. */
static void run_mempool_reserved(char **words)
{
	cuuint64_t bytes = 0;
	CUresult result = cuMemPoolGetAttribute(
		pool_of(words[0]), CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
		&bytes);

	printf("%d %llu", (int)result, (unsigned long long)bytes);
}

/* Lets a device use what comes from the pool. */
static void run_mempool_show(char **words)
{
	CUmemAccessDesc access = {
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};

	access.location.id = (int)shell_size(words[1]);
	printf("%d", (int)cuMemPoolSetAccess(pool_of(words[0]), &access, 1));
}

const struct shell_command shell_mempools[] = {
	{"mempool", 2, run_mempool},
	{"mempool_default", 2, run_mempool_default},
	{"mempool_alloc", 4, run_mempool_alloc},
	{"mempool_keep", 2, run_mempool_keep},
	{"mempool_trim", 2, run_mempool_trim},
	{"mempool_destroy", 1, run_mempool_destroy},
	{"mempool_reserved", 1, run_mempool_reserved},
	{"mempool_show", 2, run_mempool_show},
	{NULL, 0, NULL},
};
