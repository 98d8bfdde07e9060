/* What takes device memory besides cuMemAlloc, of each kind and in each way.
 * Each answer starts with the call's result. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "shell.h"

enum { ROW = 1 << 10, TEXEL = 4 };

/* The forms for which stream 0 is the thread's own. */
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *addr, size_t size, CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *addr, size_t size,
				      CUmemoryPool pool, CUstream stream);

/* One of many kinds of memory. */
struct kind {
	const char *name;
	CUresult (*take)(uint64_t *handle, size_t size);
	CUresult (*give)(uint64_t handle);
};

static CUresult managed_take(uint64_t *handle, size_t size)
{
	return cuMemAllocManaged((CUdeviceptr *)handle, size,
				 CU_MEM_ATTACH_GLOBAL);
}

static CUresult plain_give(uint64_t handle)
{
	return cuMemFree(handle);
}

static CUresult async_take(uint64_t *handle, size_t size)
{
	return cuMemAllocAsync((CUdeviceptr *)handle, size, NULL);
}

static CUresult async_own_take(uint64_t *handle, size_t size)
{
	return cuMemAllocAsync_ptsz((CUdeviceptr *)handle, size, NULL);
}

static CUresult async_give(uint64_t handle)
{
	CUresult res = cuMemFreeAsync(handle, NULL);

	return res ? res : cuCtxSynchronize();
}

static CUmemLocation location_here(void)
{
	CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE};

	cuCtxGetDevice(&location.id);
	return location;
}

static CUmemoryPool pool_here(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = location_here()};
	static CUmemoryPool pool;

	if (!pool)
		cuMemPoolCreate(&pool, &props);
	return pool;
}

static CUresult pool_take(uint64_t *handle, size_t size)
{
	return cuMemAllocFromPoolAsync((CUdeviceptr *)handle, size, pool_here(),
				       NULL);
}

static CUresult pool_own_take(uint64_t *handle, size_t size)
{
	return cuMemAllocFromPoolAsync_ptsz((CUdeviceptr *)handle, size,
					    pool_here(), NULL);
}

static CUresult host_take(uint64_t *handle, size_t size, CUmemLocationType type)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {.type = type}};
	CUmemoryPool pool;
	CUresult res = cuMemPoolCreate(&pool, &props);

	return res ? res
		   : cuMemAllocFromPoolAsync((CUdeviceptr *)handle, size, pool,
					     NULL);
}

static CUresult host_pool_take(uint64_t *handle, size_t size)
{
	return host_take(handle, size, CU_MEM_LOCATION_TYPE_HOST);
}

static CUresult node_pool_take(uint64_t *handle, size_t size)
{
	return host_take(handle, size, CU_MEM_LOCATION_TYPE_HOST_NUMA);
}

static CUresult host_default_take(uint64_t *handle, size_t size)
{
	CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_HOST};
	CUmemoryPool pool;
	CUresult res = cuMemGetDefaultMemPool(&pool, &location,
					      CU_MEM_ALLOCATION_TYPE_PINNED);

	return res ? res
		   : cuMemAllocFromPoolAsync((CUdeviceptr *)handle, size, pool,
					     NULL);
}

/* As the current one. */
static CUresult node_default_take(uint64_t *handle, size_t size)
{
	CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
	CUmemoryPool pool;
	CUresult res = cuMemGetMemPool(&pool, &location,
				       CU_MEM_ALLOCATION_TYPE_PINNED);

	return res ? res
		   : cuMemAllocFromPoolAsync((CUdeviceptr *)handle, size, pool,
					     NULL);
}

/* Takes memory from the default pool of device 1. */
static CUresult default_take(uint64_t *handle, size_t size)
{
	CUmemoryPool pool;
	CUresult res = cuDeviceGetDefaultMemPool(&pool, 1);

	return res ? res
		   : cuMemAllocFromPoolAsync((CUdeviceptr *)handle, size, pool,
					     NULL);
}

static CUresult pitch_take(uint64_t *handle, size_t size)
{
	size_t pitch;

	return cuMemAllocPitch((CUdeviceptr *)handle, &pitch, ROW, size / ROW,
			       4);
}

static CUresult array_take(uint64_t *handle, size_t size)
{
	CUDA_ARRAY_DESCRIPTOR array = {.Width = ROW,
				       .Height = size / ROW / TEXEL,
				       .Format = CU_AD_FORMAT_FLOAT,
				       .NumChannels = 1};

	return cuArrayCreate((CUarray *)handle, &array);
}

static CUDA_ARRAY3D_DESCRIPTOR deep(size_t size)
{
	return (CUDA_ARRAY3D_DESCRIPTOR){.Width = ROW,
					 .Height = size / ROW / TEXEL / 2,
					 .Depth = 2,
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 1};
}

static CUresult array3d_take(uint64_t *handle, size_t size)
{
	CUDA_ARRAY3D_DESCRIPTOR array = deep(size);

	return cuArray3DCreate((CUarray *)handle, &array);
}

static CUresult array_give(uint64_t handle)
{
	return cuArrayDestroy((CUarray)handle);
}

static CUresult mipmap_take(uint64_t *handle, size_t size)
{
	CUDA_ARRAY3D_DESCRIPTOR array = deep(size);

	return cuMipmappedArrayCreate((CUmipmappedArray *)handle, &array, 1);
}

static CUresult mipmap_give(uint64_t handle)
{
	return cuMipmappedArrayDestroy((CUmipmappedArray)handle);
}

static CUresult virtual_take(uint64_t *handle, size_t size)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .location = location_here()};

	return cuMemCreate((CUmemGenericAllocationHandle *)handle, size, &prop,
			   0);
}

static CUresult virtual_give(uint64_t handle)
{
	return cuMemRelease(handle);
}

static const struct kind kinds[] = {
	{"managed", managed_take, plain_give},
	{"async", async_take, async_give},
	{"async_own", async_own_take, async_give},
	{"pool", pool_take, async_give},
	{"pool_own", pool_own_take, async_give},
	{"host_pool", host_pool_take, async_give},
	{"node_pool", node_pool_take, async_give},
	{"host_default", host_default_take, async_give},
	{"node_default", node_default_take, async_give},
	{"default", default_take, async_give},
	{"pitch", pitch_take, plain_give},
	{"array", array_take, array_give},
	{"array3d", array3d_take, array_give},
	{"mipmap", mipmap_take, mipmap_give},
	{"virtual", virtual_take, virtual_give},
	{NULL, NULL, NULL},
};

static const struct kind *kind_find(const char *name)
{
	const struct kind *kind = kinds;

	while (kind->name && strcmp(kind->name, name))
		kind++;
	return kind->name ? kind : NULL;
}

static void taken(struct shell_memory *memory, CUresult res, uint64_t handle,
		  size_t size)
{
	printf("%d", (int)res);
	shell_print_pointer(handle, (uint64_t)memory);
	if (!res) {
		memory->addr = handle;
		memory->size = size;
	}
}

static void run_take(char **words)
{
	const struct kind *kind = kind_find(words[0]);
	struct shell_memory *memory = shell_memory(words[1]);
	uint64_t handle = (uint64_t)memory;
	size_t size = shell_size(words[2]);
	CUresult res = kind ? kind->take(&handle, size) : CUDA_ERROR_NOT_FOUND;

	taken(memory, res, handle, size);
}

static void run_give(char **words)
{
	const struct kind *kind = kind_find(words[0]);

	if (kind)
		printf("%d", (int)kind->give(shell_memory(words[1])->addr));
}

static void run_take_in(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	CUstream stream = (CUstream)shell_memory(words[1])->addr;
	uint64_t handle = (uint64_t)memory;
	size_t size = shell_size(words[2]);
	CUresult res = cuMemAllocAsync((CUdeviceptr *)&handle, size, stream);

	taken(memory, res, handle, size);
}

/* Creates memory on a device that is not the current one. */
static void run_create_on(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
			     .id = (int)shell_size(words[1])}};
	uint64_t handle = (uint64_t)memory;
	size_t size = shell_size(words[2]);
	CUresult res = cuMemCreate((CUmemGenericAllocationHandle *)&handle,
				   size, &prop, 0);

	taken(memory, res, handle, size);
}

static CUresult library_open(void)
{
	CUlibrary library;

	return cuLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL,
				 0);
}

static CUresult exec_open(void)
{
	CUgraphExec exec;
	CUgraph graph;
	CUresult res = cuGraphCreate(&graph, 0);

	return res ? res : cuGraphInstantiate(&exec, graph, 0);
}

static char host[1 << 12] __attribute__((aligned(1 << 12)));

static CUresult entry_open(const char *what)
{
	CUmodule module;
	CUstream stream;
	CUevent event;
	CUcontext context;

	if (!strcmp(what, "module"))
		return cuModuleLoadData(&module, "image");
	if (!strcmp(what, "library"))
		return library_open();
	if (!strcmp(what, "stream"))
		return cuStreamCreate(&stream, CU_STREAM_DEFAULT);
	if (!strcmp(what, "event"))
		return cuEventCreate(&event, CU_EVENT_DEFAULT);
	if (!strcmp(what, "exec"))
		return exec_open();
	if (!strcmp(what, "context"))
		return cuCtxCreate(&context, NULL, 0, 0);
	if (!strcmp(what, "primary"))
		return cuDevicePrimaryCtxRetain(&context, 0);
	if (!strcmp(what, "launch")) /* without a kernel */
		return cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL,
				      NULL);
	if (!strcmp(what, "register"))
		return cuMemHostRegister(host, sizeof(host), 0);
	return CUDA_ERROR_NOT_FOUND;
}

static void run_open(char **words)
{
	printf("%d", (int)entry_open(words[0]));
}

static void run_launch_in(char **words)
{
	CUstream stream = (CUstream)shell_memory(words[0])->addr;

	printf("%d", (int)cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream,
					 NULL, NULL));
}

/* Launches no kernel, with an attribute that is all 0. */
static void run_launch_with(char **words)
{
	CUlaunchAttribute attribute = {
		.id = (CUlaunchAttributeID)shell_size(words[1])};
	CUlaunchConfig config = {.hStream =
					 (CUstream)shell_memory(words[0])->addr,
				 .attrs = &attribute,
				 .numAttrs = 1};

	printf("%d", (int)cuLaunchKernelEx(&config, NULL, NULL, NULL));
}

const struct shell_command shell_kinds[] = {
	{"take", 3, run_take},
	{"give", 2, run_give},
	{"take_in", 3, run_take_in},
	{"create_on", 3, run_create_on},
	{"open", 1, run_open},
	{"launch_in", 1, run_launch_in},
	{"launch_with", 2, run_launch_with},
	{NULL, 0, NULL},
};
