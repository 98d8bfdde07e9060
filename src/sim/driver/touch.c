#include "touch.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "code.h"
#include "device.h"
#include "memop.h"
#include "op.h"
#include "owner.h"
#include "standin.h"
#include "texture.h"

/* More rows than ROWS_MOST count as one range with its gaps. If a launch lists
 * more than RANGES_MOST ranges, its arguments count. */
enum { ROWS_MOST = 64, RANGES_MOST = 64 };

static bool touch_piece(struct op *op, CUdeviceptr begin, CUdeviceptr addr,
			size_t size)
{
	if (op->touched_count == op->touched_room) {
		unsigned room = op->touched_room ? 2 * op->touched_room : 4;
		struct touch *more = realloc(op->touched, room * sizeof(*more));

		if (!more)
			return false;
		op->touched = more;
		op->touched_room = room;
	}
	op->touched[op->touched_count++] = (struct touch){
		.addr = addr, .end = addr + size, .begin = begin};
	return true;
}

/* Adjacent mappings are separate blocks, so each gets its piece. */
static bool touch_add(struct op *op, CUdeviceptr addr, size_t size)
{
	CUdeviceptr begin = addr;
	bool ok = true;

	while (size) {
		const struct block *block = device_block(addr);
		size_t piece = size;

		if (block && block->kind == BLOCK_MAPPED &&
		    piece > block->addr + block->size - addr)
			piece = block->addr + block->size - addr;
		ok &= touch_piece(op, begin, addr, piece);
		addr += piece;
		size -= piece;
	}
	return ok;
}

static bool touch_rows(struct op *op, const char *base, size_t width,
		       size_t pitch, size_t height)
{
	CUdeviceptr addr = (CUdeviceptr)base;
	bool ok = true;

	if (pitch == width || height == 1 || height > ROWS_MOST) {
		op->site.widened |= pitch != width && height > 1;
		return touch_add(op, addr, (height - 1) * pitch + width);
	}
	for (size_t y = 0; y < height; y++)
		ok &= touch_add(op, addr + y * pitch, width);
	return ok;
}

static bool touch_box(struct op *op, const char *base, const struct copy *copy,
		      size_t pitch, size_t slice)
{
	bool ok = true;

	if (slice == pitch * copy->height)
		return touch_rows(op, base, copy->width, pitch,
				  copy->height * copy->depth);
	for (size_t z = 0; z < copy->depth; z++)
		ok &= touch_rows(op, base + z * slice, copy->width, pitch,
				 copy->height);
	return ok;
}

bool touch_copy(struct op *op)
{
	const struct copy *copy = &op->copy;
	bool ok = touch_box(op, copy->dst, copy, copy->dst_pitch,
			    copy->dst_slice);

	if (copy->src == op->owned)
		return ok; /* the source was read during the call */
	return touch_box(op, copy->src, copy, copy->src_pitch,
			 copy->src_slice) &&
	       ok;
}

bool touch_fill(struct op *op)
{
	return touch_rows(op, op->fill.dst, op->fill.width * op->fill.element,
			  op->fill.pitch, op->fill.height);
}

bool touch_memop(struct op *op)
{
	bool ok = true;

	for (unsigned i = 0; i < op->memops.count; i++) {
		const CUstreamBatchMemOpParams *part = &op->memops.parts[i];
		size_t size = memop_size(part);

		/* Writes and waits have their address in the same place. */
		if (size)
			ok &= touch_add(op, part->waitValue.address, size);
	}
	return ok;
}

bool touch_block(struct op *op)
{
	const struct block *block = op->release.block;

	return touch_add(op, block->addr, block->size);
}

/* A texture or surface object stands for all of its memory. A number that
 * happens to be an address counts too. An address where nobody
 * has been does not count if somebody's memory ends there: programs pass it
 * as an end. */
static bool touch_argument(struct op *op, CUdeviceptr addr)
{
	const struct texture *texture = texture_live(addr);
	struct owner *memory;
	struct owner *owner;

	if (texture)
		return touch_add(op, texture->memory, texture->size);
	owner = owner_find(addr, &memory);
	if (owner)
		return touch_add(op, addr, owner->end - addr);
	if (!memory && !device_owns(addr))
		return true;
	if (!owner_former(addr) && owner_find(addr - 1, &memory))
		return true;
	return touch_add(op, addr, 1); /* nobody's, to be reported */
}

static bool touch_arguments(struct op *op)
{
	const struct sim_kernel *kernel = op->launch.kernel;
	bool ok = true;

	for (size_t i = 0; i < kernel->arg_count; i++) {
		CUdeviceptr addr;

		if (kernel->arg_sizes[i] != sizeof(addr))
			continue;
		memcpy(&addr, op->launch.args[i], sizeof(addr));
		ok &= touch_argument(op, addr);
	}
	return ok;
}

/* What an interpreted kernel touches ends with the memory that it is in. */
static bool touch_code(struct op *op)
{
	const struct code *code = op->launch.code;
	bool ok = true;

	for (size_t i = 0; i < code->use_count; i++) {
		struct span span = op->launch.bound->spans[i];

		if (!code->uses[i].flags)
			continue;
		if (code->program) {
			ok &= touch_argument(op, span.addr);
			continue;
		}
		span = standin_reads(op, i);
		if (span.size)
			ok &= touch_add(op, span.addr, span.size);
		span = standin_writes(op, i);
		if (span.size)
			ok &= touch_add(op, span.addr, span.size);
	}
	return ok;
}

bool touch_launch(struct op *op)
{
	const struct launch *launch = &op->launch;
	const struct sim_kernel *kernel = launch->kernel;
	struct sim_touch ranges[RANGES_MOST];
	size_t count;
	bool ok = true;

	if (launch->code)
		return touch_code(op);
	if (!kernel->touches)
		return touch_arguments(op);
	count = kernel->touches(&launch->shape, launch->args, ranges,
				RANGES_MOST);
	if (count > RANGES_MOST)
		return touch_arguments(op);
	for (size_t i = 0; i < count; i++)
		ok &= touch_add(op, (CUdeviceptr)ranges[i].addr,
				ranges[i].size);
	return ok;
}
