/* Freed blocks of an ideal device, by size, so that an allocation of a size
 * that was freed before is one step. They keep their addresses, and count
 * neither as live nor as reserved. */
#ifndef SIM_BINS_H
#define SIM_BINS_H

#include "arena.h"

enum { BINS_SMALL = 2048, BINS_LARGE = 1024 };

struct bins {
	struct block *small[BINS_SMALL + 1]; /* by units; see arena.h */
	struct block *large[BINS_LARGE + 1]; /* by granules */
};

_Static_assert(BINS_SMALL *UNIT == SLAB_BELOW, "each small size has a bin");

/* Keeps a plain block whose pages nobody wrote to; false: it is too large. */
bool bins_keep(struct arena *arena, struct block *block);
/* One that serves a request, or NULL. */
struct block *bins_take(struct arena *arena, size_t size);
/* Gives all of them back; false when there were none. */
bool bins_flush(struct arena *arena);

#endif
