/* A granule that small blocks share, in units of 512 B. */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include "arena.h"

enum { SLAB_UNITS = 4096 };

struct slab {
	struct slab *next; /* the next spare one */
	struct runs runs;
	uint32_t granule; /* its slot in the arena */
	uint32_t blocks;  /* in it */
	bool used;        /* a freed block of it may have been written to */
	struct block *at[SLAB_UNITS]; /* the block that starts at a unit */
};

_Static_assert(SLAB_UNITS * 512 == 2 << 20, "a slab fills its granule");

/* Makes an empty slab. NULL when memory is short. */
struct slab *slab_open(struct arena *arena, uint32_t granule);
/* Closes an empty slab; its descriptor is kept for the next one. */
void slab_close(struct arena *arena, struct slab *slab);
/* The block that covers a unit, or NULL. */
struct block *slab_find(const struct slab *slab, uint32_t unit);

#endif
