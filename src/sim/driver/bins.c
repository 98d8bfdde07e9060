#include "bins.h"

/* The bin of the blocks that serve this size. NULL if the size is too large. */
static struct block **bin_of(struct bins *bins, size_t size)
{
	if (size < SLAB_BELOW)
		return &bins->small[(size + UNIT - 1) / UNIT];
	size = (size + GRANULE - 1) / GRANULE;
	return size <= BINS_LARGE ? &bins->large[size] : NULL;
}

bool bins_keep(struct arena *arena, struct block *block)
{
	struct block **bin = bin_of(arena->bins, block->size);

	if (!bin)
		return false;
	block->idle = true;
	block->next = *bin;
	*bin = block;
	return true;
}

static struct block *bin_pop(struct block **bin)
{
	struct block *block = *bin;

	*bin = block->next;
	block->idle = false;
	return block;
}

struct block *bins_take(struct arena *arena, size_t size)
{
	struct block **bin = bin_of(arena->bins, size);
	struct block *block;

	if (!bin || !*bin)
		return NULL;
	block = bin_pop(bin);
	block->size = size;
	block->sync_memops = false; /* memory_enter() sets the rest */
	return block;
}

static bool bin_flush(struct arena *arena, struct block **bin)
{
	bool any = *bin;

	while (*bin)
		arena_drop(arena, bin_pop(bin), false);
	return any;
}

bool bins_flush(struct arena *arena)
{
	struct bins *bins = arena->bins;
	bool any = false;

	for (int i = 0; i <= BINS_SMALL; i++)
		any |= bin_flush(arena, &bins->small[i]);
	for (int i = 0; i <= BINS_LARGE; i++)
		any |= bin_flush(arena, &bins->large[i]);
	return any;
}
