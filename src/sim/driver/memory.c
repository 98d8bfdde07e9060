#include "memory.h"

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "graph_block.h"
#include "host.h"
#include "mapping.h"
#include "owner.h"
#include "world.h"

enum { PITCH = 512 };

void memory_enter(struct context *ctx, struct device *dev, struct block *block,
		  enum block_kind kind)
{
	struct block **list;

	if (ctx && ctx->green_of)
		ctx = ctx->green_of;
	block->id = ++world.block_ids;
	block->dev = dev;
	block->ctx = ctx;
	block->kind = kind;
	block->launches = dev->launches;
	block->touched = kind == BLOCK_MANAGED; /* the host writes to it too */
	block->freeing = false;
	list = ctx ? &ctx->blocks : &block->pool->blocks;
	block->prev = NULL;
	block->next = *list;
	if (block->next)
		block->next->prev = block;
	*list = block;
	owner_give(block->addr, block->size);
}

bool memory_frees(const struct block *block)
{
	if (block->kind == BLOCK_GRAPH && !block->graph->live)
		return false;
	return !block->freeing && !block->variable &&
	       (block->kind < BLOCK_ARRAY || block->kind == BLOCK_EXTERNAL ||
		block->kind == BLOCK_IMPORTED);
}

CUresult memory_alloc(struct context *ctx, struct device *dev, size_t size,
		      enum block_kind kind, struct block **block)
{
	bool outside = kind == BLOCK_MANAGED && !world.profile.managed_fixed;
	CUresult res = outside ? arena_alloc_outside(&dev->arena, size, block)
			       : arena_alloc(&dev->arena, size, block);

	if (!res)
		memory_enter(ctx, dev, *block, kind);
	return res;
}

/* What was freed in a stream counts as free once the stream has reached it. But
 * on a GPU, cuMemAlloc had it only after a wait for all work. */
static CUresult room_await(struct context **ctx, size_t size)
{
	struct device *dev = (*ctx)->dev;
	uint64_t free = dev->arena.capacity - arena_used(&dev->arena);

	if (!dev->loose || size + dev->loose <= free || !device_wait(dev))
		return CUDA_SUCCESS;
	return context_current(ctx);
}

static CUresult alloc_now(CUdeviceptr *out, size_t size, enum block_kind kind)
{
	struct context *ctx;
	struct block *block;
	CUresult res;

	if (!out || !size)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (!res)
		res = capture_permit();
	if (!res && kind == BLOCK_PLAIN)
		res = room_await(&ctx, size);
	if (res)
		return res;
	clock_spend(size < GRANULE ? world.profile.small_alloc_ns
				   : world.profile.alloc_ns);
	res = memory_alloc(ctx, ctx->dev, size, kind, &block);
	if (res)
		return res;
	clock_spend(clock_per_mib(size, world.profile.alloc_ns_per_mib));
	*out = block->addr;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	return alloc_now(out, size, BLOCK_PLAIN);
}

CUresult sim_cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags)
{
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	return alloc_now(out, size, BLOCK_MANAGED);
}

/* The pitch is told as soon as the shape has one, even if there is no room. */
CUresult sim_cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width,
				size_t height, unsigned element)
{
	size_t row = (width + PITCH - 1) & ~(size_t)(PITCH - 1);
	size_t size;

	if (!pitch)
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = 0;
	if (!width || !height ||
	    (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	if (row < width)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*pitch = row;
	if (__builtin_mul_overflow(row, height, &size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return alloc_now(out, size, BLOCK_PLAIN);
}

CUresult sim_cuMemFree_v2(CUdeviceptr addr)
{
	struct context *ctx;
	struct block *block;
	CUresult res = context_current(&ctx);
	uint64_t id;

	if (res || !addr)
		return res;
	block = device_block(addr);
	if (!block || block->addr != addr || !memory_frees(block))
		return CUDA_ERROR_INVALID_VALUE;
	res = capture_permit();
	if (res)
		return res;
	id = block->id;
	owner_ask(addr);
	if (block->kind == BLOCK_ASYNC || block->kind == BLOCK_GRAPH) {
		/* As documented, its work is the program's to wait for. */
		clock_spend(world.profile.pool_ns);
		device_free(block);
		return CUDA_SUCCESS;
	}
	if (device_wait(block->dev)) {
		/* Another thread may have freed it meanwhile. */
		block = device_block(addr);
		if (!block || block->id != id)
			return CUDA_ERROR_INVALID_VALUE;
	}
	clock_spend(block->size < GRANULE ? world.profile.small_free_ns
					  : world.profile.free_ns);
	clock_spend(clock_per_mib(block->size, world.profile.free_ns_per_mib));
	device_free(block);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemGetInfo_v2(size_t *free, size_t *total)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);
	const struct arena *arena;

	if (res)
		return res;
	clock_spend(world.profile.info_ns);
	arena = &ctx->dev->arena;
	if (free)
		*free = arena->capacity - arena_used(arena);
	if (total)
		*total = arena->capacity;
	return CUDA_SUCCESS;
}

/* Pinned host memory has a range too, as it has one for cuPointerGetAttribute.
 */
CUresult sim_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
				     CUdeviceptr addr)
{
	const struct block *block = device_block(addr);
	const struct host_block *host = host_find((const void *)addr);
	CUdeviceptr start = 0;
	size_t bytes = 0;

	if (block && mapping_allows(block, false)) {
		start = block->addr;
		bytes = block->size;
	} else if (host) {
		start = (CUdeviceptr)host->base;
		bytes = host->size;
	}
	if (base)
		*base = start;
	if (size)
		*size = bytes;
	return bytes ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
