/* Memory that another library gives as a file (cuImportExternalMemory). */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "entries.h"
#include "window.h"

enum { EXTERNAL_MAGIC = 0x65787465 };

struct external {
	unsigned magic; /* 0 once it is gone; the object is used again */
	struct external *prev, *next; /* of the live ones, or spare */
	int file;                     /* ours since the import */
	size_t size;
};

static struct external *all, *spare;

static CUresult external_find(CUexternalMemory handle, struct external **out)
{
	struct external *external = (struct external *)handle;

	if (!external || external->magic != EXTERNAL_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = external;
	return CUDA_SUCCESS;
}

CUresult sim_cuImportExternalMemory(
	CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc)
{
	struct external *external = spare;
	struct context *ctx;
	struct stat file;
	CUresult res = context_current(&ctx);

	if (res)
		return res;
	if (!out || !desc || !desc->size ||
	    desc->flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED)
		return CUDA_ERROR_INVALID_VALUE;
	if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (fstat(desc->handle.fd, &file))
		return CUDA_ERROR_OPERATING_SYSTEM;
	if ((unsigned long long)file.st_size < desc->size)
		return CUDA_ERROR_INVALID_VALUE;
	if (external)
		spare = external->next;
	else
		external = malloc(sizeof(*external));
	if (!external)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*external = (struct external){.magic = EXTERNAL_MAGIC,
				      .next = all,
				      .file = desc->handle.fd,
				      .size = desc->size};
	if (all)
		all->prev = external;
	all = external;
	*out = (CUexternalMemory)external;
	return CUDA_SUCCESS;
}

CUresult sim_cuExternalMemoryGetMappedBuffer(
	CUdeviceptr *out, CUexternalMemory handle,
	const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc)
{
	struct external *external;
	struct window *window;
	struct context *ctx;
	CUresult res = external_find(handle, &external);

	if (!res)
		res = context_current(&ctx);
	if (res)
		return res;
	if (!out || !desc || !desc->size || desc->flags ||
	    desc->offset > external->size ||
	    desc->size > external->size - desc->offset)
		return CUDA_ERROR_INVALID_VALUE;
	res = window_open(ctx, ctx->dev, external->file, desc->offset,
			  desc->size, BLOCK_EXTERNAL, &window);
	if (!res)
		*out = window->block.addr;
	return res;
}

CUresult sim_cuDestroyExternalMemory(CUexternalMemory handle)
{
	struct external *external;
	CUresult res = external_find(handle, &external);

	if (res)
		return res;
	close(external->file);
	if (external->prev)
		external->prev->next = external->next;
	else
		all = external->next;
	if (external->next)
		external->next->prev = external->prev;
	external->magic = 0;
	external->next = spare;
	spare = external;
	return CUDA_SUCCESS;
}
