/* Freed blocks of an ideal device, by size: an allocation of a size that was
 * freed before takes one step. The blocks keep their addresses, and count
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

/* Keeps a plain block whose pages nobody wrote to. Returns false if the block
 * is too large. */
bool bins_keep(struct arena *arena, struct block *block);
/* Takes out a block that serves a request of this size, or returns NULL. */
struct block *bins_take(struct arena *arena, size_t size);
/* Gives all blocks back to the arena. Returns false if there were none. */
bool bins_flush(struct arena *arena);

#endif
