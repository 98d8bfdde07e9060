/* What the driver says of memory, and memory by its other calls. Each answer
 * starts with the call's result. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shell.h"

/* Answers with the range that an offset into named memory is in: how far before
 * that memory it starts, and its size. */
static void run_range(char **words)
{
	struct shell_memory *memory = shell_memory(words[0]);
	CUdeviceptr base = 0;
	size_t size = 0;
	CUresult result = cuMemGetAddressRange(
		&base, &size, memory->addr + shell_size(words[1]));

	printf("%d", (int)result);
	if (!result)
		printf(" %ld %zu", (long)(memory->addr - base), size);
}

static void run_buffer(char **words)
{
	unsigned long long id = 0;
	CUresult result = cuPointerGetAttribute(
		&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
		shell_memory(words[0])->addr + shell_size(words[1]));

	printf("%d %llu", (int)result, id);
}

/* Asks for several attributes in one call: type, size of the range, buffer
 * id. */
static void run_attributes(char **words)
{
	CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       CU_POINTER_ATTRIBUTE_RANGE_SIZE,
				       CU_POINTER_ATTRIBUTE_BUFFER_ID};
	CUmemorytype type = 0;
	unsigned long long id = 0;
	size_t size = 0;
	void *answers[] = {&type, &size, &id};
	CUresult result = cuPointerGetAttributes(3, names, answers,
						 shell_memory(words[0])->addr);

	printf("%d %d %zu %llu", (int)result, (int)type, size, id);
}

/* Answers with what one call says of an address: its kind of memory, whether it
 * is managed, its device, by how far its address is another one, and whether
 * its context is the current one; and whether the host has an address of it, by
 * one question and by one of several. */
static void run_face(char **words)
{
	CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       CU_POINTER_ATTRIBUTE_IS_MANAGED,
				       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				       CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
				       CU_POINTER_ATTRIBUTE_CONTEXT,
				       CU_POINTER_ATTRIBUTE_HOST_POINTER};
	CUdeviceptr addr = shell_memory(words[0])->addr, own = 0, host = 1;
	CUcontext context = NULL, current = NULL;
	CUmemorytype type = 0;
	unsigned int managed = 9;
	int ordinal = -9;
	void *answers[] = {&type, &managed, &ordinal, &own, &context, &host};
	CUresult result = cuPointerGetAttributes(6, names, answers, addr);
	CUresult one;

	cuCtxGetCurrent(&current);
	printf("%d type %d managed %u device %d at %ld context %d", (int)result,
	       (int)type, managed, ordinal, (long)(own - addr),
	       context && context == current);
	printf(" host %d", host != 0);
	one = cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER,
				    addr);
	printf(" %d", (int)one);
	cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr);
	cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, addr);
	printf(" alone %d %u", (int)type, managed);
}

static void run_sync_memops(char **words)
{
	int on = 1;

	printf("%d",
	       (int)cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
					  shell_memory(words[0])->addr));
}

static void made(const char *name, size_t size, CUresult result,
		 CUdeviceptr addr)
{
	struct shell_memory *memory = shell_memory(name);

	printf("%d", (int)result);
	if (result)
		return;
	memory->addr = addr;
	memory->size = size;
}

static void run_managed(char **words)
{
	size_t size = shell_size(words[1]);
	CUdeviceptr addr = 0;
	CUresult result = cuMemAllocManaged(&addr, size, CU_MEM_ATTACH_GLOBAL);

	made(words[0], size, result, addr);
}

static int range_answer(const struct shell_memory *memory,
			CUmem_range_attribute what)
{
	int value = -9;

	cuMemRangeGetAttribute(&value, sizeof(value), what, memory->addr,
			       memory->size);
	return value;
}

/* Whether the memory is managed, the device where it is preferred, and one that
 * is to use it; -1 is the host, and -2 none. */
static void run_advised(char **words)
{
	const struct shell_memory *memory = shell_memory(words[0]);
	unsigned int managed = 0;
	CUresult result = cuPointerGetAttribute(
		&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory->addr);

	printf("%d %d %d %d", (int)result, (int)managed,
	       range_answer(memory, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION),
	       range_answer(memory, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY));
}

static void run_alloc_async(char **words)
{
	size_t size = shell_size(words[1]);
	CUdeviceptr addr = 0;
	CUresult result = cuMemAllocAsync(
		&addr, size, (CUstream)shell_memory(words[2])->addr);

	made(words[0], size, result, addr);
}

static void run_free_async(char **words)
{
	printf("%d",
	       (int)cuMemFreeAsync(shell_memory(words[0])->addr,
				   (CUstream)shell_memory(words[1])->addr));
}

/* Takes width, rows and the size of an element. Answers with the pitch. */
static void run_pitch(char **words)
{
	size_t rows = shell_size(words[2]), pitch = 0;
	CUdeviceptr addr = 0;
	CUresult result = cuMemAllocPitch(&addr, &pitch, shell_size(words[1]),
					  rows, (unsigned int)atoi(words[3]));

	made(words[0], pitch * rows, result, addr);
	printf(" %zu", pitch);
}

/* Makes physical memory of device 0. */
static void run_physical(char **words)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes =
			CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
	CUmemGenericAllocationHandle handle = 0;
	size_t size = shell_size(words[1]);
	CUresult result = cuMemCreate(&handle, size, &prop, 0);

	made(words[0], size, result, handle);
}

static void run_release(char **words)
{
	printf("%d", (int)cuMemRelease(shell_memory(words[0])->addr));
}

/* Maps a range of addresses to the whole of some physical memory. */
static void run_map(char **words)
{
	const struct shell_memory *physical = shell_memory(words[1]);
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUdeviceptr addr = 0;
	CUresult result = cuMemAddressReserve(&addr, physical->size, 0, 0, 0);

	if (!result)
		result = cuMemMap(addr, physical->size, 0, physical->addr, 0);
	if (!result)
		result = cuMemSetAccess(addr, physical->size, &access, 1);
	made(words[0], physical->size, result, addr);
}

static void run_unmap(char **words)
{
	const struct shell_memory *range = shell_memory(words[0]);

	printf("%d", (int)cuMemUnmap(range->addr, range->size));
}

/* What CUDA allows only for memory of cuMemMap and for managed memory: its
 * pages are unmapped, no device may use them, a stream owns the memory, and
 * what is in it is of no use any more. */
static void run_take_apart(char **words)
{
	const size_t page = 2 << 20;
	const struct shell_memory *memory = shell_memory(words[0]);
	CUdeviceptr addr = memory->addr,
		    first = addr & ~(CUdeviceptr)(page - 1);
	size_t size = memory->size;
	CUmemAccessDesc access = {
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

	printf("%d", (int)cuMemUnmap(first, page));
	printf(" %d", (int)cuMemSetAccess(first, page, &access, 1));
	printf(" %d",
	       (int)cuStreamAttachMemAsync(NULL, addr, 0, CU_MEM_ATTACH_HOST));
	printf(" %d", (int)cuMemDiscardBatchAsync(&addr, &size, 1, 0, NULL));
}

/* Names one more handle of the memory that is mapped at an address. */
static void run_retain_physical(char **words)
{
	CUmemGenericAllocationHandle handle = 0;
	CUresult result = cuMemRetainAllocationHandle(
		&handle, (void *)shell_memory(words[1])->addr);

	made(words[0], shell_memory(words[1])->size, result, handle);
}

/* An array of four floats per point. Takes width and height; depth is 0, so
 * that it has two dimensions. */
static void run_array(char **words)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = shell_size(words[1]),
					 .Height = shell_size(words[2]),
					 .Depth = shell_size(words[3]),
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 4};
	CUarray array = NULL;
	CUresult result = cuArray3DCreate(&array, &shape);

	made(words[0], 0, result, (CUdeviceptr)array);
}

/* Takes format, channels, width, height and flags. */
static void run_texels(char **words)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {
		.Format = (CUarray_format)shell_size(words[1]),
		.NumChannels = (unsigned int)atoi(words[2]),
		.Width = shell_size(words[3]),
		.Height = shell_size(words[4]),
		.Flags = (unsigned int)atoi(words[5])};
	CUarray array = NULL;
	CUresult result = cuArray3DCreate(&array, &shape);

	made(words[0], 0, result, (CUdeviceptr)array);
}

static void run_array_destroy(char **words)
{
	printf("%d",
	       (int)cuArrayDestroy((CUarray)shell_memory(words[0])->addr));
}

/* An array of bytes. Takes width, height and levels. */
static void run_mipmap(char **words)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = shell_size(words[1]),
					 .Height = shell_size(words[2]),
					 .Format = CU_AD_FORMAT_UNSIGNED_INT8,
					 .NumChannels = 1};
	CUmipmappedArray array = NULL;
	CUresult result = cuMipmappedArrayCreate(&array, &shape,
						 (unsigned int)atoi(words[3]));

	made(words[0], 0, result, (CUdeviceptr)array);
}

static void run_mipmap_destroy(char **words)
{
	printf("%d", (int)cuMipmappedArrayDestroy(
			     (CUmipmappedArray)shell_memory(words[0])->addr));
}

/* Imports physical memory by way of a file, as if it were another API's. */
static void run_import(char **words)
{
	const struct shell_memory *physical = shell_memory(words[1]);
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
		.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
		.size = physical->size};
	CUexternalMemory external = NULL;
	CUresult result = cuMemExportToShareableHandle(
		&desc.handle.fd, physical->addr,
		CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);

	if (!result)
		result = cuImportExternalMemory(&external, &desc);
	made(words[0], 0, result, (CUdeviceptr)external);
}

/* Imports a block of a pool, as if the pool were another process's: of a
 * device, or of the host (-1). */
static void run_import_pooled(char **words)
{
	const CUmemAllocationHandleType by_file =
		CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.handleTypes = by_file,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, atoi(words[2])}};
	size_t size = shell_size(words[1]);
	CUmemPoolPtrExportData data;
	CUmemoryPool pool, imported;
	CUdeviceptr addr = 0;
	CUresult result;
	int file = -1;

	if (props.location.id < 0)
		props.location =
			(CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
	result = cuMemPoolCreate(&pool, &props);
	if (!result)
		result = cuMemAllocFromPoolAsync(&addr, size, pool, NULL);
	if (!result)
		result = cuMemPoolExportPointer(&data, addr);
	if (!result)
		result = cuMemPoolExportToShareableHandle(&file, pool, by_file,
							  0);
	if (!result)
		result = cuMemPoolImportFromShareableHandle(
			&imported, (void *)(intptr_t)file, by_file, 0);
	if (!result)
		result = cuMemPoolImportPointer(&addr, imported, &data);
	if (file >= 0)
		close(file);
	made(words[0], size, result, addr);
}

static void run_import_end(char **words)
{
	printf("%d", (int)cuDestroyExternalMemory(
			     (CUexternalMemory)shell_memory(words[0])->addr));
}

const struct shell_command shell_answers[] = {
	{"range", 2, run_range},
	{"buffer", 2, run_buffer},
	{"attributes", 1, run_attributes},
	{"face", 1, run_face},
	{"sync_memops", 1, run_sync_memops},
	{"managed", 2, run_managed},
	{"advised", 1, run_advised},
	{"alloc_async", 3, run_alloc_async},
	{"free_async", 2, run_free_async},
	{"pitch", 4, run_pitch},
	{"array", 4, run_array},
	{"texels", 6, run_texels},
	{"array_destroy", 1, run_array_destroy},
	{"mipmap", 4, run_mipmap},
	{"mipmap_destroy", 1, run_mipmap_destroy},
	{"import", 2, run_import},
	{"import_end", 1, run_import_end},
	{"import_pooled", 3, run_import_pooled},
	{"physical", 2, run_physical},
	{"release_physical", 1, run_release},
	{"map", 2, run_map},
	{"unmap", 1, run_unmap},
	{"take_apart", 1, run_take_apart},
	{"retain_physical", 2, run_retain_physical},
	{NULL, 0, NULL},
};
