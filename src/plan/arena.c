#include "arena.h"

#include <stdlib.h>

enum { ROOM_LEAST = 64 };

void arena_close(struct arena *arena)
{
	free(arena->blocks);
	address_map_close(&arena->indices);
	*arena = (struct arena){0};
}

bool arena_prepare(struct arena *arena, size_t count)
{
	size_t room = arena->room ? arena->room : ROOM_LEAST;
	struct arena_block *blocks;

	if (!address_map_prepare(&arena->indices, count))
		return false;
	while (room < count)
		room *= 2;
	if (arena->blocks && room == arena->room)
		return true;
	blocks = realloc(arena->blocks, room * sizeof(*blocks));
	if (!blocks)
		return false;
	arena->blocks = blocks;
	arena->room = room;
	return true;
}

void arena_enter(struct arena *arena, const struct arena_block *block)
{
	address_map_set(&arena->indices, block->offset, arena->count);
	arena->blocks[arena->count++] = *block;
	arena->live += block->size;
	arena->strays += block->stray;
}

const struct arena_block *arena_find(const struct arena *arena, uint64_t offset)
{
	const uint64_t *index = address_map_find(&arena->indices, offset);

	return index ? &arena->blocks[*index] : NULL;
}

void arena_age(struct arena_age *age, uint64_t epoch, unsigned int stream)
{
	if (!epoch)
		return;
	if (!age->epoch)
		age->stream = stream;
	else if (age->stream != stream)
		age->stream = 0;
	if (epoch > age->epoch)
		age->epoch = epoch;
}

void arena_leave(struct arena *arena, const struct arena_block *block,
		 uint64_t epoch, unsigned int stream)
{
	size_t index = (size_t)(block - arena->blocks);
	size_t last = arena->count - 1;

	arena_age(&arena->freed, epoch, stream);
	if (block->stray)
		arena_age(&arena->stray_freed, epoch, stream);
	arena->live -= block->size;
	arena->strays -= block->stray;
	address_map_remove(&arena->indices, block->offset);
	if (index != last) {
		arena->blocks[index] = arena->blocks[last];
		*address_map_find(&arena->indices,
				  arena->blocks[index].offset) = index;
	}
	arena->count = last;
}

bool arena_is_free(const struct arena *arena, uint64_t offset, uint64_t size)
{
	const struct arena_block *at = arena->blocks;

	for (size_t i = 0; i < arena->count; i++, at++)
		if (at->offset < offset + size &&
		    offset < at->offset + at->size)
			return false;
	return true;
}

static int block_compare(const void *one, const void *other)
{
	const struct arena_block *a = one, *b = other;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

void arena_gaps(struct arena *arena, uint64_t size,
		void (*visit)(void *argument, uint64_t offset, uint64_t size),
		void *argument)
{
	const struct arena_block *at;
	uint64_t end = 0;

	if (arena->count)
		qsort(arena->blocks, arena->count, sizeof(*arena->blocks),
		      block_compare);
	for (size_t i = 0; i < arena->count; i++) {
		at = &arena->blocks[i];
		*address_map_find(&arena->indices, at->offset) = i;
		if (at->offset > end)
			visit(argument, end, at->offset - end);
		end = at->offset + at->size;
	}
	if (size > end)
		visit(argument, end, size - end);
}
