/* A device's memory: addresses, and the physical granules behind them.
 *
 * Requests of 1 MiB and more take whole 2 MiB granules. Smaller requests share
 * granules, which are then called slabs, in units of 512 B. Granules are what
 * is counted against the capacity. All calls need the lock of world.h. */
#ifndef SIM_ARENA_H
#define SIM_ARENA_H

#include "block.h"
#include "runs.h"

#define GRANULE    ((size_t)2 << 20)
#define UNIT       ((size_t)512)
#define SLAB_BELOW ((size_t)1 << 20)

struct bins;

struct granule {
	struct block *block; /* the large block that covers it, or NULL */
	struct slab *slab;
};

struct arena {
	char *base; /* NULL until arena_open() */
	int fd;     /* the file behind it, for sharing; -1 without one */
	struct granule *granules;
	struct runs runs;         /* over granules */
	struct peaks slabs;       /* longest free run in each slab, in units */
	struct slab *spare_slabs; /* descriptors to use again */
	struct block *spare_blocks;
	bool ideal; /* freed blocks stay as they are, in `bins` */
	struct bins *bins;
	size_t capacity;       /* bytes, as cuDeviceTotalMem returns them */
	size_t granules_total; /* of capacity, rounded down */
	size_t granules_used;
	size_t spans;            /* bytes of all that is not freed */
	size_t peak;             /* the highest arena_used() so far */
	size_t live, live_bytes; /* live blocks, and the bytes asked for */
	uint32_t slots;          /* granules of address space */
};

/* Reserves addresses. CUDA_ERROR_OUT_OF_MEMORY if the host has too few. */
CUresult arena_open(struct arena *arena);
/* Allocates a block of size bytes (>= 1) and sets its addr, size and span. All
 * other fields are zero, or are for memory_enter() to set. */
CUresult arena_alloc(struct arena *arena, size_t size, struct block **block);
/* The same for a block that has addresses here and its memory elsewhere: it
 * takes nothing of the capacity. */
CUresult arena_alloc_outside(struct arena *arena, size_t size,
			     struct block **block);
/* If `used`, the block's pages may have been written to: they go back to the
 * host together with their granules. */
void arena_free(struct arena *arena, struct block *block, bool used);
/* The same for a block that is not counted as live. */
void arena_drop(struct arena *arena, struct block *block, bool used);
/* Takes granules without a block, for memory at other addresses, or gives them
 * back. size is a multiple of GRANULE. */
CUresult arena_take(struct arena *arena, size_t size, uint32_t *first);
void arena_give(struct arena *arena, uint32_t first, size_t size, bool used);
/* The block that takes the bytes at addr, or NULL. The arena must cover addr.
 */
struct block *arena_holder(const struct arena *arena, CUdeviceptr addr);
/* The same, but NULL behind what was asked for. */
struct block *arena_find(const struct arena *arena, CUdeviceptr addr);
/* Bytes of the capacity that are taken: granules, or spans on an
 * ideal device. */
size_t arena_used(const struct arena *arena);
bool arena_covers(const struct arena *arena, CUdeviceptr addr);

#endif
