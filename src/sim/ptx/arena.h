/* Memory that is given back all at once. */
#ifndef SIM_PTX_ARENA_H
#define SIM_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena {
	struct ptx_chunk *chunks;
	size_t left; /* bytes in the first one */
};

/* Zeroed memory that is aligned for anything; NULL if there is none. */
void *ptx_arena_get(struct ptx_arena *arena, size_t size);
void ptx_arena_free(struct ptx_arena *arena);

#endif
