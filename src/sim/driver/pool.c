/* Stream-ordered allocation. A block goes back to its pool when its stream
 * reaches the free. */
#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "mempool.h"
#include "op.h"
#include "owner.h"
#include "stream.h"
#include "thread.h"
#include "touch.h"
#include "world.h"

/* There are no memory nodes: in a capture this fails, and the
 * capture goes on. */
static CUresult pool_alloc(struct mempool *pool, struct stream *stream,
			   CUdeviceptr *out, size_t size)
{
	struct context *ctx = stream->ctx;
	struct block *block;
	CUresult res;

	if (stream->capture)
		return CUDA_ERROR_NOT_SUPPORTED;
	clock_spend(world.profile.pool_ns);
	res = mempool_alloc(pool, ctx, size, &block);
	if (res && pool->dev->pending) {
		/* Queued frees will give memory back. */
		device_wait(pool->dev);
		res = mempool_alloc(pool, ctx, size, &block);
	}
	if (!res)
		*out = block->addr;
	return res;
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream handle)
{
	struct stream *stream;
	struct context *ctx;
	CUresult res;

	if (!out || !size)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (!res)
		res = stream_use(handle, &stream);
	if (res)
		return res;
	return pool_alloc(stream->ctx->dev->pool_current, stream, out, size);
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
				     CUmemoryPool handle, CUstream where)
{
	struct stream *stream;
	struct mempool *pool;
	CUresult res;

	if (!out || !size)
		return CUDA_ERROR_INVALID_VALUE;
	res = stream_use(where, &stream);
	if (!res)
		res = mempool_find(handle, &pool);
	if (!res)
		res = arena_open(&pool->dev->arena);
	return res ? res : pool_alloc(pool, stream, out, size);
}

static void free_run(struct op *op)
{
	pthread_mutex_lock(&world.lock);
	device_free(op->block);
	pthread_mutex_unlock(&world.lock);
}

CUresult sim_cuMemFreeAsync(CUdeviceptr addr, CUstream handle)
{
	struct block *block = device_block(addr);
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);
	struct op *op;

	if (res)
		return res;
	if (stream->capture)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!block || block->addr != addr || block->freeing ||
	    block->kind >= BLOCK_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	op = op_new(free_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->block = block;
	op->touch = touch_block;
	op->frees = true;
	owner_ask(addr);
	clock_spend(world.profile.pool_ns);
	res = op_submit(op, stream, 0);
	if (!res) {
		block->freeing = true;
		block->freed_in = stream;
		owner_close(addr);
	}
	return res;
}
