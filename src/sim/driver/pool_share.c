/* Pools that other processes open. The file that the program passes on is a
 * note: it names the exporter's memory, as the handles of ipc.c do. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "entries.h"
#include "handle.h"
#include "mempool.h"
#include "window.h"
#include "world.h"

/* Names the pool, or a block of it. */
static struct handle handle_of(const struct mempool *pool,
			       enum handle_kind kind)
{
	return (struct handle){.kind = kind,
			       .file = pool->dev->arena.fd,
			       .device = pool->dev->ordinal,
			       .id = pool->id};
}

/* CUDA_ERROR_OUT_OF_MEMORY if the host has no file for it. */
static CUresult note_make(const void *text, int *out)
{
	int file = memfd_create("mnm-sim-pool", MFD_CLOEXEC);

	if (file < 0)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (write(file, text, HANDLE_SIZE) != HANDLE_SIZE) {
		close(file);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*out = file;
	return CUDA_SUCCESS;
}

/* CUDA_ERROR_INVALID_VALUE for any other file. */
static CUresult note_read(int file, struct handle *handle)
{
	char text[HANDLE_SIZE];
	struct stat stat;

	if (fstat(file, &stat) || stat.st_size != HANDLE_SIZE ||
	    pread(file, text, HANDLE_SIZE, 0) != HANDLE_SIZE)
		return CUDA_ERROR_INVALID_VALUE;
	*handle = handle_read(text);
	return handle->kind == HANDLE_POOL ? CUDA_SUCCESS
					   : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemPoolExportToShareableHandle(void *out, CUmemoryPool handle,
					      CUmemAllocationHandleType type,
					      unsigned long long flags)
{
	char text[HANDLE_SIZE];
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool);

	if (res)
		return res;
	if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
	    !(pool->handles & type) || pool->exporter)
		return CUDA_ERROR_INVALID_VALUE;
	res = handle_make(handle_of(pool, HANDLE_POOL), text);
	return res ? res : note_make(text, out);
}

CUresult sim_cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *from,
						CUmemAllocationHandleType type,
						unsigned long long flags)
{
	struct handle handle;
	struct mempool *pool;
	struct device *dev;
	CUresult res;
	int file;

	if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	res = note_read((int)(intptr_t)from, &handle);
	if (!res && handle.device == CU_DEVICE_CPU)
		dev = world_host();
	else if (!res)
		res = device_find(handle.device, &dev);
	if (!res)
		res = handle_open(&handle, &file);
	if (res)
		return res;
	res = mempool_create(dev, &pool);
	if (res) {
		close(file);
		return res;
	}
	if (dev == world_host()) /* other pools of its have no handles */
		pool->location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
	pool->handles = type;
	pool->exporter = handle.pid;
	pool->file = file;
	pool->id = handle.id;
	*out = (CUmemoryPool)pool;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolExportPointer(CUmemPoolPtrExportData *out,
				    CUdeviceptr addr)
{
	const struct block *block = device_block(addr);
	struct handle handle;

	if (!out || !block || block->kind != BLOCK_ASYNC ||
	    !block->pool->handles)
		return CUDA_ERROR_INVALID_VALUE;
	handle = handle_of(block->pool, HANDLE_BLOCK);
	handle.offset = block->addr - (CUdeviceptr)block->dev->arena.base;
	handle.size = block->size;
	return handle_make(handle, out);
}

CUresult sim_cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool handle,
				    CUmemPoolPtrExportData *from)
{
	struct mempool *pool;
	struct window *window;
	struct handle block;
	CUresult res = mempool_find(handle, &pool);

	if (res)
		return res;
	if (!out || !from || !pool->exporter)
		return CUDA_ERROR_INVALID_VALUE;
	block = handle_read(from);
	if (block.kind != HANDLE_BLOCK || block.pid != pool->exporter ||
	    block.id != pool->id)
		return CUDA_ERROR_INVALID_VALUE;
	res = window_import(pool, (off_t)block.offset, block.size, &window);
	if (!res)
		*out = window->block.addr;
	return res;
}
