#include "bounds.h"

#include <stdint.h>

#include "block/block.h"
#include "mem/mem.h"

/* A product or sum that is too large is past every end. */
static size_t product(size_t a, size_t b)
{
	size_t result;

	return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t sum(size_t a, size_t b)
{
	size_t result;

	return __builtin_add_overflow(a, b, &result) ? SIZE_MAX : result;
}

bool bounds_hold(CUdeviceptr addr, size_t bytes)
{
	const struct block *block;
	uint64_t start, word;
	enum mnm_backing backing;

	if (!bytes || !mem_enabled() ||
	    !region_block_at(addr, &start, &backing))
		return true;
	if (backing == MNM_BACKING_HOST) /* CUDA takes any memory of the host */
		return true;
	block = start ? block_find(start, &word) : NULL;
	return block && word_is_live(word) &&
	       sum(addr - start, bytes) <= block->span;
}

bool bounds_spare(const CUdeviceptr *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		if (region_has(list[i]))
			return false;
	return true;
}

bool bounds_hold_count(CUdeviceptr addr, size_t count, size_t element)
{
	return bounds_hold(addr, product(count, element));
}

/* From the first byte to the last one of rows in slices. */
static size_t reach(size_t width, size_t height, size_t depth, size_t pitch,
		    size_t slice)
{
	if (!width || !height || !depth)
		return 0;
	return sum(product(depth - 1, slice),
		   sum(product(height - 1, pitch), width));
}

bool bounds_hold_rows(CUdeviceptr addr, size_t pitch, size_t width,
		      size_t element, size_t height)
{
	return bounds_hold(addr,
			   reach(product(width, element), height, 1, pitch, 0));
}

static bool fails_at(size_t index, size_t *failed)
{
	if (failed)
		*failed = index;
	return false;
}

bool bounds_hold_pairs(const CUdeviceptr *dsts, const CUdeviceptr *srcs,
		       const size_t *sizes, size_t count, size_t *failed)
{
	for (size_t i = 0; dsts && srcs && sizes && i < count; i++)
		if (!bounds_hold(dsts[i], sizes[i]) ||
		    !bounds_hold(srcs[i], sizes[i]))
			return fails_at(i, failed);
	return true;
}

/* One side of a copy of boxes, in bytes, rows and slices. A pitch or a height
 * of 0 is that of the box. */
struct side {
	CUmemorytype type;
	CUdeviceptr addr;
	size_t x, y, z, pitch, height;
};

struct box {
	size_t width, height, depth;
};

static bool side_holds(const struct side *side, const struct box *box)
{
	size_t pitch = side->pitch ? side->pitch : sum(side->x, box->width);
	size_t rows = side->height ? side->height : sum(side->y, box->height);
	size_t slice = product(pitch, rows);
	size_t before = sum(product(side->z, slice),
			    sum(product(side->y, pitch), side->x));

	if (side->type != CU_MEMORYTYPE_DEVICE &&
	    side->type != CU_MEMORYTYPE_UNIFIED)
		return true;
	return bounds_hold(
		side->addr + before,
		reach(box->width, box->height, box->depth, pitch, slice));
}

bool bounds_hold_flat(const CUDA_MEMCPY2D *c)
{
	CUDA_MEMCPY3D deep = {0};

	if (!c)
		return true;
	deep.srcMemoryType = c->srcMemoryType;
	deep.srcDevice = c->srcDevice;
	deep.srcXInBytes = c->srcXInBytes;
	deep.srcY = c->srcY;
	deep.srcPitch = c->srcPitch;
	deep.dstMemoryType = c->dstMemoryType;
	deep.dstDevice = c->dstDevice;
	deep.dstXInBytes = c->dstXInBytes;
	deep.dstY = c->dstY;
	deep.dstPitch = c->dstPitch;
	deep.WidthInBytes = c->WidthInBytes;
	deep.Height = c->Height;
	deep.Depth = 1;
	return bounds_hold_deep(&deep);
}

#define SIDE(c, end) \
	&(const struct side) \
	{ \
		(c)->end##MemoryType, (c)->end##Device, (c)->end##XInBytes, \
			(c)->end##Y, (c)->end##Z, (c)->end##Pitch, \
			(c)->end##Height \
	}
#define HOLD_SHAPE(name, type) \
	bool name(const type *c) \
	{ \
		struct box box; \
\
		if (!c) \
			return true; \
		box = (struct box){c->WidthInBytes, c->Height, c->Depth}; \
		return side_holds(SIDE(c, src), &box) && \
		       side_holds(SIDE(c, dst), &box); \
	}
HOLD_SHAPE(bounds_hold_deep, CUDA_MEMCPY3D)
HOLD_SHAPE(bounds_hold_peers, CUDA_MEMCPY3D_PEER)
#undef HOLD_SHAPE
#undef SIDE

bool bounds_hold_fill(const CUDA_MEMSET_NODE_PARAMS *fill)
{
	return !fill || bounds_hold_rows(fill->dst, fill->pitch, fill->width,
					 fill->elementSize, fill->height);
}

bool bounds_hold_node(const CUgraphNodeParams *node)
{
	if (node && node->type == CU_GRAPH_NODE_TYPE_MEMCPY)
		return bounds_hold_deep(&node->memcpy.copyParams);
	if (node && node->type == CU_GRAPH_NODE_TYPE_MEMSET)
		return bounds_hold_rows(node->memset.dst, node->memset.pitch,
					node->memset.width,
					node->memset.elementSize,
					node->memset.height);
	return true;
}

/* CUDA does not say how many bytes an element of a pointer's rows has, so only
 * rows that follow each other are judged. */
static bool operand_holds(const CUmemcpy3DOperand *side, const CUextent3D *box)
{
	bool packed = side->type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
		      (!side->op.ptr.rowLength ||
		       side->op.ptr.rowLength == box->width) &&
		      (!side->op.ptr.layerHeight ||
		       side->op.ptr.layerHeight == box->height);

	return !packed || bounds_hold(side->op.ptr.ptr,
				      product(product(box->width, box->height),
					      box->depth));
}

bool bounds_hold_batch(const CUDA_MEMCPY3D_BATCH_OP *list, size_t count,
		       size_t *failed)
{
	for (size_t i = 0; list && i < count; i++)
		if (!operand_holds(&list[i].src, &list[i].extent) ||
		    !operand_holds(&list[i].dst, &list[i].extent))
			return fails_at(i, failed);
	return true;
}
