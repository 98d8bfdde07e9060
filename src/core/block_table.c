/* Address bits 48..36 choose a region, 35..21 a granule of 2 MiB, 20..8 a
 * slot in it. Drivers start large allocations at a granule, so each granule
 * has its first slot at hand and gets a table for the others (64 KiB, touched
 * as it is used) only when small blocks share it. */
#include <stdatomic.h>
#include <sys/mman.h>

#include "block.h"

enum {
	SLOT_SHIFT = 8, /* the least alignment that CUDA promises */
	GRANULE_SHIFT = 21,
	REGION_SHIFT = 36,
	ADDRESS_BITS = 49, /* of a GPU's virtual addresses, Pascal to Hopper */
	SLOTS = 1 << (GRANULE_SHIFT - SLOT_SHIFT),
	GRANULES = 1 << (REGION_SHIFT - GRANULE_SHIFT),
	REGIONS = 1 << (ADDRESS_BITS - REGION_SHIFT),
};

/* A slot holds 0, the address of a live block's record, or that | IDLE. */
#define IDLE ((uintptr_t)1)

typedef _Atomic uintptr_t slot; /* no struct: an atomic word */

struct granule {
	slot first;
	slot *_Atomic others; /* SLOTS of them, or NULL */
};

static struct granule *_Atomic regions[REGIONS];

/* Zeroed memory that is never given back; NULL without memory. */
static void *table_new(size_t size)
{
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

static struct granule *region_current(size_t index)
{
	struct granule *region = atomic_load(&regions[index]), *fresh;

	if (region)
		return region;
	fresh = table_new(GRANULES * sizeof(*fresh));
	if (!fresh ||
	    atomic_compare_exchange_strong(&regions[index], &region, fresh))
		return fresh;
	munmap(fresh, GRANULES * sizeof(*fresh));
	return region;
}

static slot *others_current(struct granule *granule)
{
	slot *others = atomic_load(&granule->others), *fresh;

	if (others)
		return others;
	fresh = table_new(SLOTS * sizeof(*fresh));
	if (!fresh ||
	    atomic_compare_exchange_strong(&granule->others, &others, fresh))
		return fresh;
	munmap(fresh, SLOTS * sizeof(*fresh));
	return others;
}

/* The slot of an address, or NULL where there is none; enter makes one. */
static slot *slot_of(uint64_t addr, bool enter)
{
	size_t index = (addr >> SLOT_SHIFT) & (SLOTS - 1);
	struct granule *granule;
	slot *others;

	if (addr >> ADDRESS_BITS || addr & ((1 << SLOT_SHIFT) - 1))
		return NULL;
	granule = enter ? region_current(addr >> REGION_SHIFT)
			: atomic_load(&regions[addr >> REGION_SHIFT]);
	if (!granule)
		return NULL;
	granule += (addr >> GRANULE_SHIFT) & (GRANULES - 1);
	if (!index)
		return &granule->first;
	others =
		enter ? others_current(granule) : atomic_load(&granule->others);
	return others ? others + index : NULL;
}

static struct block *slot_block(uintptr_t value, enum block_state *state)
{
	*state = !value         ? BLOCK_UNKNOWN
		 : value & IDLE ? BLOCK_IDLE
				: BLOCK_LIVE;
	return (struct block *)(value & ~IDLE);
}

bool block_enter(struct block *block, struct block **stale,
		 enum block_state *state)
{
	slot *slot = slot_of(block->addr, true);
	uintptr_t before = 0;

	if (slot)
		before = atomic_exchange(slot, (uintptr_t)block);
	*stale = slot_block(before, state);
	return slot;
}

struct block *block_find(uint64_t addr, enum block_state *state)
{
	slot *slot = slot_of(addr, false);

	return slot_block(slot ? atomic_load(slot) : 0, state);
}

struct block *block_take(uint64_t addr, enum block_state *state)
{
	slot *slot = slot_of(addr, false);
	uintptr_t value = slot ? atomic_load(slot) : 0;

	while (value && !(value & IDLE))
		if (atomic_compare_exchange_weak(slot, &value, value | IDLE))
			return slot_block(value, state);
	slot_block(value, state);
	return NULL;
}

bool block_claim(struct block *block)
{
	uintptr_t live = (uintptr_t)block;

	return atomic_compare_exchange_strong(slot_of(block->addr, false),
					      &live, live | IDLE);
}

void block_revive(struct block *block)
{
	atomic_store(slot_of(block->addr, false), (uintptr_t)block);
}

bool block_remove(struct block *block)
{
	uintptr_t mine = (uintptr_t)block | IDLE;

	return atomic_compare_exchange_strong(slot_of(block->addr, false),
					      &mine, 0);
}

static void slot_visit(slot *slot,
		       void (*visit)(struct block *, enum block_state, void *),
		       void *arg)
{
	enum block_state state;
	struct block *block = slot_block(atomic_load(slot), &state);

	if (block)
		visit(block, state, arg);
}

void block_walk(void (*visit)(struct block *block, enum block_state state,
			      void *arg),
		void *arg)
{
	for (size_t r = 0; r < REGIONS; r++) {
		struct granule *region = atomic_load(&regions[r]);

		for (size_t g = 0; region && g < GRANULES; g++) {
			slot *others = atomic_load(&region[g].others);

			slot_visit(&region[g].first, visit, arg);
			for (size_t s = 1; others && s < SLOTS; s++)
				slot_visit(&others[s], visit, arg);
		}
	}
}
