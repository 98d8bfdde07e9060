/* Stream-ordered allocation. A request of no bytes succeeds with no address,
 * and the free of no address does nothing. */
#include <stdlib.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "graph_block.h"
#include "memory.h"
#include "mempool.h"
#include "op.h"
#include "owner.h"
#include "stream.h"
#include "thread.h"
#include "touch.h"
#include "world.h"

static CUresult pool_alloc(struct mempool *pool, struct stream *stream,
			   CUdeviceptr *out, size_t size)
{
	struct block *block;
	CUresult res;

	clock_spend(world.profile.pool_ns);
	if (stream->capture)
		return graph_block_capture(pool, stream, size, out);
	res = mempool_alloc(pool, stream, size, &block);
	if (!res)
		*out = block->addr;
	return res;
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream handle)
{
	struct stream *stream;
	struct context *ctx;
	CUresult res;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (!res)
		res = stream_use(handle, &stream);
	if (res || !size)
		return res;
	return pool_alloc(stream->ctx->dev->pool_current, stream, out, size);
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
				     CUmemoryPool handle, CUstream where)
{
	struct stream *stream;
	struct mempool *pool;
	CUresult res;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	res = stream_use(where, &stream);
	if (!res)
		res = mempool_find(handle, &pool);
	if (!res && pool->exporter)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && size)
		res = arena_open(&pool->dev->arena);
	return res || !size ? res : pool_alloc(pool, stream, out, size);
}

static void free_run(struct op *op)
{
	struct block *block = op->release.block;

	pthread_mutex_lock(&world.lock);
	if (block->kind != BLOCK_GRAPH)
		block->dev->loose += block->span;
	device_free(block);
	pthread_mutex_unlock(&world.lock);
}

/* The block has been its pool's since the free was queued. */
static void reach_run(struct op *op)
{
	pthread_mutex_lock(&world.lock);
	if (op->touched_count && op->touched->memory)
		owner_retire(op->touched->memory);
	mempool_reach(op->release.pool, op->stream);
	pthread_mutex_unlock(&world.lock);
}

/* NULL when memory is short. */
static struct op *free_op(struct block *block)
{
	bool stays = block->kind == BLOCK_ASYNC;
	struct op *op;

	if (block->kind == BLOCK_GRAPH)
		return graph_block_free_op(block);
	if (stays && !block->freed)
		block->freed = calloc(1, sizeof(*block->freed));
	if (stays && !block->freed)
		return NULL;
	op = op_new(stays ? reach_run : free_run);
	if (!op)
		return NULL;
	op->release =
		(struct release){block, stays, stays ? block->pool : NULL};
	op->touch = touch_block;
	op->frees = true;
	return op;
}

/* The free of the block is the stream's last operation. */
static void free_queued(struct block *block, struct stream *stream)
{
	if (block->kind == BLOCK_GRAPH) {
		block->freeing = false; /* in its next life */
		graph_block_freed(block->graph);
		return;
	}
	owner_close(block->addr);
	if (block->kind != BLOCK_ASYNC)
		return;
	memory_leave(block, &block->pool->blocks);
	freed_note(block->freed, stream);
	mempool_give(block);
}

CUresult sim_cuMemFreeAsync(CUdeviceptr addr, CUstream handle)
{
	struct block *block = device_block(addr);
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);
	struct op *op;

	if (res || !addr)
		return res;
	if (!block || block->addr != addr)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return graph_block_capture_free(block, stream);
	if (!memory_frees(block) || block->kind == BLOCK_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	op = free_op(block);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	owner_ask(addr);
	clock_spend(world.profile.pool_ns);
	block->freed_in = stream;
	block->freeing = true; /* to others, while this waits for room */
	res = op_submit(op, stream, 0);
	if (res)
		block->freeing = false;
	else
		free_queued(block, stream);
	return res;
}
