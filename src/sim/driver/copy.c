#include "copy.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "copied.h"
#include "host.h"
#include "mapping.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

enum place { PLACE_DEVICE, PLACE_PINNED, PLACE_PAGEABLE };

struct copy copy_flat(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return (struct copy){.dst = (char *)dst,
			     .src = (const char *)src,
			     .width = bytes,
			     .height = 1,
			     .depth = 1};
}

bool copy_is_visible(CUdeviceptr addr)
{
	return device_owns(addr) || host_find((const void *)addr);
}

CUresult copy_check(const char *addr, size_t bytes, bool write)
{
	if (!addr)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_owns((CUdeviceptr)addr))
		return CUDA_SUCCESS;
	while (bytes) {
		struct block *block = device_block((CUdeviceptr)addr);
		size_t room;

		if (!block || block->freeing || !mapping_allows(block, write))
			return CUDA_ERROR_INVALID_VALUE;
		room = block->addr + block->size - (CUdeviceptr)addr;
		/* Adjacent mappings are one piece of memory. */
		if (room < bytes && block->kind != BLOCK_MAPPED)
			return CUDA_ERROR_INVALID_VALUE;
		block->touched |= write;
		addr += room;
		bytes -= room < bytes ? room : bytes;
	}
	return CUDA_SUCCESS;
}

/* Bytes from the first to the last one that a side covers. */
static size_t extent(const struct copy *copy, size_t pitch, size_t slice)
{
	return (copy->depth - 1) * slice + (copy->height - 1) * pitch +
	       copy->width;
}

static enum place place_of(const void *addr)
{
	if (host_is_pinned(addr))
		return PLACE_PINNED;
	return device_owns((CUdeviceptr)addr) ? PLACE_DEVICE : PLACE_PAGEABLE;
}

static uint64_t copy_time(const struct copy *copy, enum place dst,
			  enum place src)
{
	const struct profile *profile = &world.profile;
	uint64_t rate = profile->pinned_rate;

	if (dst == PLACE_PAGEABLE || src == PLACE_PAGEABLE)
		rate = profile->pageable_rate;
	else if (dst == PLACE_DEVICE && src == PLACE_DEVICE)
		rate = device_block((CUdeviceptr)copy->dst)->dev ==
				       device_block((CUdeviceptr)copy->src)->dev
			       ? profile->device_rate
			       : profile->peer_rate;
	return profile->copy_ns +
	       clock_transfer(copy->width * copy->height * copy->depth, rate);
}

static void copy_rows(const struct copy *copy)
{
	for (size_t z = 0; z < copy->depth; z++)
		for (size_t y = 0; y < copy->height; y++)
			memmove(copy->dst + z * copy->dst_slice +
					y * copy->dst_pitch,
				copy->src + z * copy->src_slice +
					y * copy->src_pitch,
				copy->width);
}

static void copy_run(struct op *op)
{
	copy_rows(&op->copy);
	copied_add(&op->copy);
}

/* Reads the source now, into memory that is freed with the operation. */
static CUresult copy_stage(struct op *op)
{
	struct copy *copy = &op->copy;
	size_t slice = copy->width * copy->height;
	struct copy reading = *copy;

	op->owned = malloc(slice * copy->depth);
	if (!op->owned)
		return CUDA_ERROR_OUT_OF_MEMORY;
	reading.dst = op->owned;
	reading.dst_pitch = copy->width;
	reading.dst_slice = slice;
	copy_rows(&reading);
	copy->src = op->owned;
	copy->src_pitch = copy->width;
	copy->src_slice = slice;
	return CUDA_SUCCESS;
}

/* A GPU waited for a copy to such memory, to which it has no access at first,
 * as for one to pageable memory. */
static bool is_host_pools(const char *addr)
{
	const struct block *block = device_block((CUdeviceptr)addr);

	return block && block_is_pinned(block);
}

static bool copy_waits(enum place dst, enum place src, bool async)
{
	if (dst == PLACE_DEVICE && src == PLACE_DEVICE)
		return false;
	if (!async || dst == PLACE_PAGEABLE)
		return true;
	return dst != PLACE_DEVICE && src != PLACE_DEVICE;
}

/* Notes the write. An error is ignored: by the time that a graph runs, its
 * memory may be gone. */
static CUresult copy_renew(struct op *op)
{
	const struct copy *copy = &op->copy;

	copy_check(copy->dst, extent(copy, copy->dst_pitch, copy->dst_slice),
		   true);
	return CUDA_SUCCESS;
}

CUresult copy_op(struct copy copy, struct op **out, uint64_t *ns)
{
	enum place dst = place_of(copy.dst), src = place_of(copy.src);
	struct op *op;
	CUresult res;

	res = copy_check(copy.dst,
			 extent(&copy, copy.dst_pitch, copy.dst_slice), true);
	if (!res)
		res = copy_check(copy.src,
				 extent(&copy, copy.src_pitch, copy.src_slice),
				 false);
	if (res)
		return res;
	op = op_new(copy_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->type = CU_GRAPH_NODE_TYPE_MEMCPY;
	op->renew = copy_renew;
	op->copy = copy;
	op->copy.to_host = src == PLACE_DEVICE && dst != PLACE_DEVICE;
	op->touch = touch_copy;
	*ns = copy_time(&copy, dst, src);
	*out = op;
	return CUDA_SUCCESS;
}

/* A graph reads host memory when it runs, so in a capture the call neither
 * reads the source nor waits. */
static CUresult copy_queue(struct op *op, struct stream *stream, uint64_t ns,
			   bool async)
{
	enum place dst = place_of(op->copy.dst), src = place_of(op->copy.src);
	bool waits = !stream->capture && (copy_waits(dst, src, async) ||
					  is_host_pools(op->copy.dst));
	CUresult res;

	if (src == PLACE_PAGEABLE && !stream->capture && !waits &&
	    copy_stage(op)) {
		op_drop(op);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	clock_spend(world.profile.submit_ns);
	res = op_submit(op, stream, ns);
	return !res && waits ? stream_wait(stream) : res;
}

CUresult copy_submit(struct copy copy, CUstream where, bool async)
{
	struct stream *stream;
	CUresult res = stream_use(where, &stream);
	struct op *op;
	uint64_t ns;

	if (res || !copy.width || !copy.height || !copy.depth)
		return res;
	if (stream->capture && !async)
		return capture_refuse(stream->capture);
	res = copy_op(copy, &op, &ns);
	return res ? res : copy_queue(op, stream, ns, async);
}
