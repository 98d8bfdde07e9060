#include "heap.h"

#include <pthread.h>
#include <stdlib.h>

#include "context.h"
#include "memory.h"

enum {
	UNIT = 16,
	USED = 1,
	BEGINS = 2,
	LENGTH_SHIFT = 2,
	UNITS_MOST = 1 << 30
};

/* Pieces follow each other. What they are stands beside the memory, where no
 * kernel reaches it: the first and the last unit of a piece have a tag, which
 * is its length in units and flags, and other units have 0. */
struct heap {
	pthread_mutex_t lock;
	CUdeviceptr base;
	uint32_t units, next; /* next: where the search for room begins */
	uint32_t failed; /* as many units were not free since the last free */
	uint32_t tags[];
};

static uint32_t length_at(const struct heap *heap, uint32_t unit)
{
	return heap->tags[unit] >> LENGTH_SHIFT;
}

static void piece_set(struct heap *heap, uint32_t unit, uint32_t length,
		      uint32_t used)
{
	heap->tags[unit + length - 1] = length << LENGTH_SHIFT | used;
	heap->tags[unit] = length << LENGTH_SHIFT | used | BEGINS;
}

static CUresult heap_new(struct context *ctx, uint32_t units)
{
	struct heap *heap = calloc(1, sizeof(*heap) + units * sizeof(uint32_t));
	struct block *block;
	CUresult res;

	if (!heap)
		return CUDA_ERROR_OUT_OF_MEMORY;
	heap->units = units;
	heap->failed = units + 1;
	if (units) {
		res = memory_alloc(ctx, ctx->dev, (size_t)units * UNIT,
				   BLOCK_HEAP, &block);
		if (res) {
			free(heap);
			return res;
		}
		block->touched = true;
		heap->base = block->addr;
		piece_set(heap, 0, units, 0);
	}
	pthread_mutex_init(&heap->lock, NULL);
	ctx->heap = heap;
	return CUDA_SUCCESS;
}

CUresult heap_open(struct context *ctx, struct heap **out)
{
	size_t units;
	CUresult res;

	if (ctx->green_of)
		ctx = ctx->green_of;
	units = ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE] / UNIT;
	if (!ctx->heap) {
		if (units >= UNITS_MOST)
			return CUDA_ERROR_OUT_OF_MEMORY;
		res = heap_new(ctx, (uint32_t)units);
		if (res)
			return res;
	}
	*out = ctx->heap;
	return CUDA_SUCCESS;
}

void heap_close(struct context *ctx)
{
	if (!ctx->heap)
		return;
	pthread_mutex_destroy(&ctx->heap->lock);
	free(ctx->heap);
	ctx->heap = NULL;
}

/* The first free piece from a unit on that is long enough, before another unit.
 * UINT32_MAX: there is none. */
static uint32_t room_find(const struct heap *heap, uint32_t from, uint32_t end,
			  uint32_t length)
{
	for (; from < end; from += length_at(heap, from))
		if (!(heap->tags[from] & USED) &&
		    length_at(heap, from) >= length)
			return from;
	return UINT32_MAX;
}

static CUdeviceptr room_take(struct heap *heap, uint32_t length)
{
	uint32_t at = UINT32_MAX, rest;

	if (length < heap->failed)
		at = room_find(heap, heap->next, heap->units, length);
	if (at == UINT32_MAX && length < heap->failed)
		at = room_find(heap, 0, heap->next, length);
	if (at == UINT32_MAX) {
		if (length < heap->failed)
			heap->failed = length;
		return 0;
	}
	rest = length_at(heap, at) - length;
	piece_set(heap, at, length, USED);
	if (rest)
		piece_set(heap, at + length, rest, 0);
	heap->next = rest ? at + length : 0;
	return heap->base + (CUdeviceptr)at * UNIT;
}

CUdeviceptr heap_take(struct heap *heap, uint64_t size)
{
	CUdeviceptr found;

	/* A request of no bytes has an address of its own, too. */
	size = size ? size : 1;
	if (size > (uint64_t)heap->units * UNIT)
		return 0;
	pthread_mutex_lock(&heap->lock);
	found = room_take(heap, (uint32_t)((size + UNIT - 1) / UNIT));
	pthread_mutex_unlock(&heap->lock);
	return found;
}

/* A free piece takes in the next one. */
static uint32_t joined(struct heap *heap, uint32_t unit, uint32_t length)
{
	uint32_t end = unit + length, more = length_at(heap, end);

	heap->tags[end - 1] = heap->tags[end] = 0;
	return length + more;
}

static void room_give(struct heap *heap, uint32_t unit)
{
	uint32_t length = length_at(heap, unit), end = unit + length, before;

	if (end < heap->units && !(heap->tags[end] & USED))
		length = joined(heap, unit, length);
	piece_set(heap, unit, length, 0);
	if (unit && !(heap->tags[unit - 1] & USED)) {
		before = length_at(heap, unit - 1);
		unit -= before;
		length = joined(heap, unit, before);
	}
	piece_set(heap, unit, length, 0);
	heap->next = unit;
	heap->failed = heap->units + 1;
}

bool heap_give(struct heap *heap, CUdeviceptr addr)
{
	CUdeviceptr place = addr - heap->base, unit = place / UNIT;
	bool taken = false;

	pthread_mutex_lock(&heap->lock);
	if (!(place % UNIT) && unit < heap->units)
		taken = (heap->tags[unit] & (BEGINS | USED)) == (BEGINS | USED);
	if (taken)
		room_give(heap, (uint32_t)unit);
	pthread_mutex_unlock(&heap->lock);
	return taken;
}
