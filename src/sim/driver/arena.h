/* A device's memory: addresses, and the physical granules behind them.
 *
 * Requests of 1 MiB and more take whole 2 MiB granules. Smaller ones share
 * granules, called slabs, in units of 512 B. What is counted against the
 * capacity is granules. All calls need the lock of world.h. */
#ifndef SIM_ARENA_H
#define SIM_ARENA_H

#include "block.h"
#include "runs.h"

#define GRANULE    ((size_t)2 << 20)
#define UNIT       ((size_t)512)
#define SLAB_BELOW ((size_t)1 << 20)

struct bins;

struct granule {
	struct block *block; /* that covers it, when no slab */
	struct slab *slab;
};

struct arena {
	char *base; /* NULL until the first context */
	int fd;     /* the file behind it, by which others share it */
	struct granule *granules;
	struct runs runs;         /* over granules */
	struct peaks slabs;       /* longest free run in each slab, in units */
	struct slab *spare_slabs; /* descriptors to use again */
	struct block *spare_blocks;
	bool ideal; /* freed blocks stay as they are, in: */
	struct bins *bins;
	size_t capacity;       /* bytes, as cuDeviceTotalMem tells */
	size_t granules_total; /* of capacity, rounded down */
	size_t granules_used;
	size_t spans;            /* bytes that what is not freed takes */
	size_t peak;             /* of arena_used() */
	size_t live, live_bytes; /* blocks, and what they asked for */
	uint32_t slots;          /* granules of address space */
};

/* Reserves addresses; CUDA_ERROR_OUT_OF_MEMORY when the host has none. */
CUresult arena_open(struct arena *arena);
/* A new block of size bytes (>= 1), its addr, size, span set, else zero. */
CUresult arena_alloc(struct arena *arena, size_t size, struct block **block);
/* `used`: its pages may have been written and go back to the host. */
void arena_free(struct arena *arena, struct block *block, bool used);
/* The same of one that was not live. */
void arena_drop(struct arena *arena, struct block *block, bool used);
/* Granules without a block, for memory that has other addresses. */
CUresult arena_take(struct arena *arena, size_t size, uint32_t *first);
void arena_give(struct arena *arena, uint32_t first, size_t size, bool used);
/* The live block that an address which it covers lies in, or NULL. */
struct block *arena_find(const struct arena *arena, CUdeviceptr addr);
/* Bytes of the capacity that are taken: granules, of an ideal device spans. */
size_t arena_used(const struct arena *arena);
bool arena_covers(const struct arena *arena, CUdeviceptr addr);

#endif
