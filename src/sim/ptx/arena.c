#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { CHUNK = 64 << 10, ALIGN = 16 };

struct ptx_chunk {
	struct ptx_chunk *next;
	size_t size;
	_Alignas(ALIGN) char data[];
};

void *ptx_arena_get(struct ptx_arena *arena, size_t size)
{
	struct ptx_chunk *chunk = arena->chunks;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + !size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (size > arena->left) {
		size_t bytes = size > CHUNK ? size : CHUNK;

		chunk = calloc(1, sizeof(*chunk) + bytes);
		if (!chunk)
			return NULL;
		chunk->size = bytes;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->left = bytes;
	}
	arena->left -= size;
	return chunk->data + chunk->size - arena->left - size;
}

void ptx_arena_free(struct ptx_arena *arena)
{
	while (arena->chunks) {
		struct ptx_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	arena->left = 0;
}
