/* Stream-ordered allocation, and each device's default memory pool. The pool
 * keeps nothing: a block goes back when its free is reached in the stream. */
#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "memory.h"
#include "op.h"
#include "owner.h"
#include "stream.h"
#include "thread.h"
#include "touch.h"
#include "world.h"

static CUresult pool_device(CUmemoryPool pool, struct device **dev)
{
	for (int i = 0; i < world.device_count; i++) {
		if ((CUmemoryPool)&world.devices[i] == pool) {
			*dev = &world.devices[i];
			return CUDA_SUCCESS;
		}
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUmemoryPool)dev;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device)
{
	return sim_cuDeviceGetDefaultMemPool(out, device);
}

/* There is no other pool to set. */
CUresult sim_cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	struct device *dev, *owner;
	CUresult res = device_find(device, &dev);

	if (!res)
		res = pool_device(pool, &owner);
	if (res)
		return res;
	return dev == owner ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	struct device *dev;

	(void)keep;
	return pool_device(pool, &dev) ?: capture_permit();
}

/* The number behind an attribute, or NULL. */
static uint64_t *pool_number(struct device *dev, CUmemPool_attribute what)
{
	switch (what) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		return &dev->pool_threshold;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		return &dev->pool_used;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		return &dev->pool_used_high;
	default:
		return NULL;
	}
}

static int *pool_flag(struct device *dev, CUmemPool_attribute what)
{
	if (what < CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
	    what > CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
		return NULL;
	return &dev->pool_reuse
			[what -
			 CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
}

CUresult sim_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute what,
				   void *value)
{
	struct device *dev;
	CUresult res = pool_device(pool, &dev);

	if (!res)
		res = capture_permit();
	if (res)
		return res;
	if (!value || (!pool_number(dev, what) && !pool_flag(dev, what)))
		return CUDA_ERROR_INVALID_VALUE;
	if (pool_flag(dev, what))
		*(int *)value = *pool_flag(dev, what);
	else
		*(cuuint64_t *)value = *pool_number(dev, what);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute what,
				   void *value)
{
	struct device *dev;
	CUresult res = pool_device(pool, &dev);

	if (!res)
		res = capture_permit();
	if (res)
		return res;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	if (pool_flag(dev, what)) {
		*pool_flag(dev, what) = *(int *)value;
		return CUDA_SUCCESS;
	}
	if (what == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
		dev->pool_threshold = *(cuuint64_t *)value;
		return CUDA_SUCCESS;
	}
	/* A high-water mark may be set back, to zero only. */
	if (pool_number(dev, what) != &dev->pool_used_high ||
	    *(cuuint64_t *)value)
		return CUDA_ERROR_INVALID_VALUE;
	dev->pool_used_high = dev->pool_used;
	return CUDA_SUCCESS;
}

/* There are no memory nodes: a capture goes on without it. */
static CUresult pool_alloc(struct stream *stream, CUdeviceptr *out, size_t size)
{
	struct context *ctx = stream->ctx;
	struct device *dev = ctx->dev;
	struct block *block;
	CUresult res;

	if (stream->capture)
		return CUDA_ERROR_NOT_SUPPORTED;
	clock_spend(world.profile.pool_ns);
	res = memory_alloc(ctx, size, BLOCK_ASYNC, &block);
	if (res && dev->pending) {
		/* Frees that are queued count as memory to be had. */
		device_wait(dev);
		res = memory_alloc(ctx, size, BLOCK_ASYNC, &block);
	}
	if (res)
		return res;
	dev->pool_used += size;
	if (dev->pool_used_high < dev->pool_used)
		dev->pool_used_high = dev->pool_used;
	*out = block->addr;
	return CUDA_SUCCESS;
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
	return res ? res : pool_alloc(stream, out, size);
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
				     CUmemoryPool pool, CUstream handle)
{
	struct stream *stream;
	struct device *dev;
	CUresult res;

	if (!out || !size)
		return CUDA_ERROR_INVALID_VALUE;
	res = stream_use(handle, &stream);
	if (!res)
		res = pool_device(pool, &dev);
	if (res)
		return res;
	if (dev != stream->ctx->dev)
		return CUDA_ERROR_INVALID_VALUE;
	return pool_alloc(stream, out, size);
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
	    block->kind >= BLOCK_OPENED)
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
		owner_close(addr);
	}
	return res;
}
