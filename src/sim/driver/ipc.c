/* Handles by which other processes open memory and events. */
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "entries.h"
#include "event.h"
#include "handle.h"
#include "owner.h"
#include "window.h"
#include "world.h"

/* A handle is of use only to other processes. */
static CUresult other_open(const struct handle *handle, int *file)
{
	if (handle->pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	return handle_open(handle, file);
}

CUresult sim_cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr addr)
{
	const struct block *block = device_block(addr);
	struct handle handle = {.kind = HANDLE_MEMORY};

	if (!out || !block || block->kind != BLOCK_PLAIN)
		return CUDA_ERROR_INVALID_VALUE;
	handle.file = block->dev->arena.fd;
	handle.device = block->dev->ordinal;
	handle.offset = block->addr - (CUdeviceptr)block->dev->arena.base;
	handle.size = block->size;
	handle.id = block->id;
	return handle_make(handle, out);
}

/* The window that the context has opened by that handle, or NULL. */
static struct window *opened_find(struct context *ctx,
				  const CUipcMemHandle *handle)
{
	for (struct block *block = ctx->blocks; block; block = block->next) {
		struct window *window = (struct window *)block;

		if (block->kind == BLOCK_OPENED &&
		    !memcmp(&window->handle, handle, sizeof(*handle)))
			return window;
	}
	return NULL;
}

static CUresult memory_open(struct context *ctx, const CUipcMemHandle *from,
			    struct window **window)
{
	struct handle handle = handle_read(from);
	struct device *dev = ctx->dev;
	CUresult res;
	int fd;

	if (handle.kind != HANDLE_MEMORY)
		return CUDA_ERROR_INVALID_HANDLE;
	res = other_open(&handle, &fd);
	if (res)
		return res;
	device_find(handle.device, &dev);
	res = window_open(ctx, dev, fd, handle.offset, handle.size,
			  BLOCK_OPENED, window);
	close(fd);
	if (!res)
		(*window)->handle = *from;
	return res;
}

CUresult sim_cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle,
				   unsigned flags)
{
	struct context *ctx;
	struct window *window;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!out || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return CUDA_ERROR_INVALID_VALUE;
	window = opened_find(ctx, &handle);
	if (window)
		window->opens++;
	else
		res = memory_open(ctx, &handle, &window);
	if (!res)
		*out = window->block.addr;
	return res;
}

CUresult sim_cuIpcCloseMemHandle(CUdeviceptr addr)
{
	struct block *block = device_block(addr);
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!block || block->addr != addr || block->kind != BLOCK_OPENED)
		return CUDA_ERROR_INVALID_VALUE;
	if (--((struct window *)block)->opens)
		return CUDA_SUCCESS;
	owner_ask(addr);
	/* The host would not survive late work of any device. */
	for (int i = 0; i < world.device_count; i++)
		device_wait(&world.devices[i]);
	device_free(block);
	return CUDA_SUCCESS;
}

CUresult sim_cuIpcGetEventHandle(CUipcEventHandle *out, CUevent what)
{
	struct handle handle = {.kind = HANDLE_EVENT};
	struct event *event;
	CUresult res = event_find(what, &event);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!event->slot || event->imported)
		return CUDA_ERROR_INVALID_HANDLE;
	handle.file = board_file(event->slot, &handle.offset);
	return handle_make(handle, out);
}

CUresult sim_cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle from)
{
	struct handle handle = handle_read(&from);
	struct event *event;
	CUresult res;
	int fd;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (handle.kind != HANDLE_EVENT)
		return CUDA_ERROR_INVALID_HANDLE;
	res = event_open(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS,
			 &event);
	if (res)
		return res;
	res = other_open(&handle, &fd);
	if (!res) {
		event->slot = board_visit(fd, handle.offset);
		event->imported = true;
		close(fd);
	}
	if (!event->slot) {
		event_close(event);
		return res ? res : CUDA_ERROR_MAP_FAILED;
	}
	*out = (CUevent)event;
	return CUDA_SUCCESS;
}
