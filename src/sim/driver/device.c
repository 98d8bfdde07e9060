#include "device.h"

#include "array.h"
#include "clock.h"
#include "graph_block.h"
#include "memory.h"
#include "owner.h"
#include "range.h"
#include "stream.h"
#include "variable.h"
#include "window.h"
#include "world.h"

CUresult device_find(CUdevice handle, struct device **dev)
{
	if (handle < 0 || handle >= world.device_count)
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = &world.devices[handle];
	return CUDA_SUCCESS;
}

/* Any device may use the host's memory. */
static bool devices_wait(void)
{
	bool waits = false;

	for (int i = 0; i < world.device_count; i++)
		waits |= device_wait(&world.devices[i]);
	return waits;
}

bool device_wait(struct device *dev)
{
	struct fence fence = {0};
	uint64_t end = dev->end;
	bool waits = dev->pending || world.tracking;

	if (dev == world_host())
		return devices_wait();

	/* A wait teaches something even if nothing is pending. */
	if (waits) {
		context_points(&dev->primary, &fence);
		for (struct context *c = dev->contexts; c; c = c->next)
			context_points(c, &fence);
		fence_wait(&fence);
		fence_clear(&fence);
	}
	dev->loose = 0;
	clock_reach(end);
	return waits;
}

struct block *device_block(CUdeviceptr addr)
{
	for (int i = 0; i <= world.device_count; i++) {
		const struct arena *arena = &world.devices[i].arena;
		struct block *block;

		if (!arena_covers(arena, addr))
			continue;
		block = arena_find(arena, addr);
		return block && !block->idle && block->kind != BLOCK_HEAP
			       ? block
			       : NULL;
	}
	return outside_find(addr);
}

bool block_is_managed(const struct block *block)
{
	return block->kind == BLOCK_MANAGED ||
	       (block->pool &&
		block->pool->type == CU_MEM_ALLOCATION_TYPE_MANAGED);
}

bool block_is_pinned(const struct block *block)
{
	return block->dev == world_host() && !block_is_managed(block);
}

bool device_owns(CUdeviceptr addr)
{
	for (int i = 0; i <= world.device_count; i++)
		if (arena_covers(&world.devices[i].arena, addr))
			return true;
	return outside_find(addr) || range_find(addr);
}

/* The block stays in its pool or graph. */
static void ordered_free(struct block *block)
{
	if (block->kind == BLOCK_GRAPH) {
		graph_block_free(block->graph);
		return;
	}
	memory_leave(block, &block->pool->blocks);
	owner_leave(block->addr);
	mempool_give_at_once(block);
}

void device_free(struct block *block)
{
	struct device *dev = block->dev;
	/* A kernel may write anywhere. If none was queued since the allocation,
	 * only what is `touched` was written to. */
	bool used = block->touched || block->launches != dev->launches;

	if (block->kind == BLOCK_ASYNC || block->kind == BLOCK_GRAPH) {
		ordered_free(block);
		return;
	}
	memory_leave(block,
		     block->ctx ? &block->ctx->blocks : &block->pool->blocks);
	owner_take(block->addr);
	if (block->kind == BLOCK_IMPORTED)
		mempool_forget(block);
	if (block->kind == BLOCK_ARRAY)
		array_end(block->array);
	if (block->variable)
		variable_forget(block->variable);
	if (block->kind >= BLOCK_EXTERNAL)
		window_close(block);
	else
		arena_free(&dev->arena, block, used);
}
