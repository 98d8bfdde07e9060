#include "arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };

struct arena_chunk {
	struct arena_chunk *next;
	struct arena_cell cells[CHUNK];
};

void arena_close(struct arena *arena)
{
	struct arena_chunk *next;

	for (; arena->chunks; arena->chunks = next) {
		next = arena->chunks->next;
		free(arena->chunks);
	}
	free(arena->cells);
	free(arena->ends);
	address_map_close(&arena->by_offset);
	*arena = (struct arena){0};
}

/* What a cell at that place, and those behind it, have had is not known. */
static void ends_forget(struct arena *arena, size_t from)
{
	if (arena->ended > from)
		arena->ended = from;
}

static void ends_find(struct arena *arena)
{
	uint64_t end;

	for (size_t i = arena->ended; i < arena->count; i++) {
		end = arena->cells[i]->offset + arena->cells[i]->reach;
		arena->ends[i] = i && arena->ends[i - 1] > end
					 ? arena->ends[i - 1]
					 : end;
	}
	arena->ended = arena->count;
}

static void cell_spare(struct arena *arena, struct arena_cell *cell)
{
	cell->record = arena->spare;
	arena->spare = cell;
}

/* Whether there is room for one more cell. */
static bool arena_grow(struct arena *arena)
{
	struct arena_cell **cells;
	struct arena_chunk *chunk;
	uint64_t *ends;

	if (!address_map_prepare(&arena->by_offset, arena->count + 1))
		return false;
	if (arena->count < arena->room)
		return true;
	cells = realloc(arena->cells, (arena->room + CHUNK) * sizeof(*cells));
	if (!cells)
		return false;
	arena->cells = cells;
	ends = realloc(arena->ends, (arena->room + CHUNK) * sizeof(*ends));
	if (!ends)
		return false;
	arena->ends = ends;
	chunk = calloc(1, sizeof(*chunk));
	if (!chunk)
		return false;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	for (size_t i = 0; i < CHUNK; i++)
		cell_spare(arena, &chunk->cells[i]);
	arena->room += CHUNK;
	return true;
}

struct arena_cell *arena_find(const struct arena *arena, uint64_t offset)
{
	const uint64_t *index = address_map_find(&arena->by_offset, offset);

	return index ? (struct arena_cell *)(uintptr_t)*index : NULL;
}

/* The place of the first cell at that offset or after it. */
static size_t cell_from(const struct arena *arena, uint64_t offset)
{
	size_t low = 0, high = arena->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (arena->cells[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct arena_cell *cell_make(struct arena *arena, uint64_t offset)
{
	struct arena_cell *cell;
	size_t at;

	if (!arena_grow(arena))
		return NULL;
	cell = arena->spare;
	arena->spare = cell->record;
	*cell = (struct arena_cell){.offset = offset};
	at = cell_from(arena, offset);
	memmove(&arena->cells[at + 1], &arena->cells[at],
		(arena->count - at) * sizeof(struct arena_cell *));
	arena->cells[at] = cell;
	arena->count++;
	ends_forget(arena, at);
	address_map_set(&arena->by_offset, offset, (uintptr_t)cell);
	return cell;
}

void arena_drop(struct arena *arena, struct arena_cell *cell)
{
	size_t at = cell_from(arena, cell->offset);

	address_map_remove(&arena->by_offset, cell->offset);
	arena->count--;
	memmove(&arena->cells[at], &arena->cells[at + 1],
		(arena->count - at) * sizeof(struct arena_cell *));
	ends_forget(arena, at);
	cell_spare(arena, cell);
}

struct arena_cell *arena_prepare(struct arena *arena, uint64_t offset,
				 uint64_t reach)
{
	struct arena_cell *cell = arena_find(arena, offset);

	if (!cell)
		cell = cell_make(arena, offset);
	if (cell && cell->reach < reach) {
		cell->reach = reach;
		ends_forget(arena, cell_from(arena, offset));
	}
	return cell;
}

/* The cell counts by so many bytes from now on, and counted by others so
 * far. */
static void cell_count(struct arena *arena, struct arena_cell *cell,
		       uint64_t bytes)
{
	arena->counted += bytes - cell->counted;
	cell->counted = bytes;
}

void arena_count(struct arena *arena, struct arena_cell *cell)
{
	uint64_t bytes = cell->live ? cell->size : 0;

	if (bytes == cell->counted)
		return;
	arena->owed_blocks += (bytes != 0) - (cell->counted != 0);
	arena->owed_bytes += (int64_t)(bytes - cell->counted);
	cell_count(arena, cell, bytes);
}

struct arena_owed arena_owed(struct arena *arena)
{
	struct arena_owed owed = {arena->owed_blocks, arena->owed_bytes};

	arena->owed_blocks = arena->owed_bytes = 0;
	return owed;
}

void arena_enter(struct arena *arena, struct arena_cell *cell, uint64_t size,
		 uint32_t slot, bool stray, uint64_t now)
{
	arena_count(arena, cell);
	cell->size = size;
	cell->slot = slot;
	cell->stray = stray;
	cell->told = 0;
	cell->life = ARENA_LIFE_ANY;
	cell->taken_at = now;
	arena->strays += stray;
	cell_count(arena, cell, size);
	atomic_store_explicit(&cell->live, true, memory_order_relaxed);
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

static void stray_leave(struct arena *arena, uint64_t epoch,
			unsigned int stream)
{
	arena_age(&arena->stray_freed, epoch, stream);
	atomic_store(&arena->stray_latest, arena->stray_freed.epoch);
	arena->strays--;
}

/* A later block may be smaller than one before. */
static void cell_age(const struct arena_cell *cell, struct arena_age *age)
{
	arena_age(age, arena_cell_epoch(cell),
		  cell->mixed ? 0
			      : atomic_load_explicit(&cell->stream,
						     memory_order_relaxed));
}

void arena_leave(struct arena *arena, struct arena_cell *cell, uint64_t epoch,
		 unsigned int stream, uint64_t now)
{
	arena_count(arena, cell);
	cell->mixed |= cell->epoch && cell->stream != stream;
	atomic_store_explicit(&cell->epoch, epoch, memory_order_relaxed);
	atomic_store_explicit(&cell->stream, stream, memory_order_relaxed);
	atomic_store_explicit(&cell->freed_at, now, memory_order_relaxed);
	if (cell->stray)
		stray_leave(arena, epoch, stream);
	cell->stray = false;
	cell_count(arena, cell, 0);
	atomic_store_explicit(&cell->live, false, memory_order_release);
}

bool arena_is_free(struct arena *arena, uint64_t offset, uint64_t size,
		   struct arena_age *age)
{
	ends_find(arena);
	*age = arena->freed;
	arena_age(age, arena->stray_freed.epoch, arena->stray_freed.stream);
	for (size_t i = cell_from(arena, offset + size);
	     i && arena->ends[i - 1] > offset; i--) {
		const struct arena_cell *at = arena->cells[i - 1];

		if (arena_cell_lives(at) && offset < at->offset + at->size)
			return false;
		/* A block that lives may be smaller than the one before. */
		if (offset < at->offset + at->reach)
			cell_age(at, age);
	}
	return true;
}

struct arena_age arena_latest(const struct arena *arena)
{
	struct arena_age age = arena->freed;

	arena_age(&age, arena->stray_freed.epoch, arena->stray_freed.stream);
	for (size_t i = 0; i < arena->count; i++)
		cell_age(arena->cells[i], &age);
	return age;
}

size_t arena_live(const struct arena *arena, uint64_t *bytes)
{
	size_t live = 0;

	*bytes = 0;
	for (size_t i = 0; i < arena->count; i++) {
		if (!arena->cells[i]->live)
			continue;
		live++;
		*bytes += arena->cells[i]->size;
	}
	return live;
}

void arena_gaps(const struct arena *arena, uint64_t size,
		void (*visit)(void *argument, uint64_t offset, uint64_t size),
		void *argument)
{
	uint64_t end = 0;

	for (size_t i = 0; i < arena->count; i++) {
		const struct arena_cell *at = arena->cells[i];

		if (!at->live)
			continue;
		if (at->offset > end)
			visit(argument, end, at->offset - end);
		end = at->offset + at->size;
	}
	if (size > end)
		visit(argument, end, size - end);
}
