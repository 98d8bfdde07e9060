/* An arena: a range of addresses in which blocks are placed where a plan says.
 * It knows which of them are live, so that no address is handed out twice. All
 * figures are bytes; offsets count from the arena's first address.
 *
 * A cell stands for all blocks that begin at one offset, of which one lives at
 * a time. It stays where it is in memory until the arena is closed. */
#ifndef MNM_ARENA_H
#define MNM_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "address_map.h"

#define ARENA_LIFE_ANY   UINT32_MAX
#define ARENA_LIFE_OTHER (UINT64_MAX / 2)

struct arena_cell {
	uint64_t offset;
	uint64_t size;  /* of its block, which lives or lived last */
	uint64_t reach; /* the most bytes that one of its blocks may have */
	_Atomic uint64_t epoch;      /* of the last free; 0: none yet */
	_Atomic unsigned int stream; /* in whose order that was; 0: in none */
	uint32_t plan;     /* that its block was placed by: see replay_name */
	uint32_t slot;     /* of that plan; REPLAY_NONE (replay.h): none */
	_Atomic bool live; /* false: the block's free is stamped as well */
	bool stray;        /* it was not placed in the plan's order */
	bool planned;      /* it is the place of a slot */
	bool mixed;        /* its frees were in the order of several streams */
	uint64_t lap;      /* in which its block came, if that has no slot */
	uint64_t counted;  /* the bytes by which it counts as live in
			    * arena->counted; 0: as none */
	/* When its block was taken, and freed, and how long it was to live: in
	 * requests. */
	uint64_t taken_at;
	_Atomic uint64_t freed_at;
	uint64_t life; /* ARENA_LIFE_ANY: that does not matter; more: it lives
			* for another time than was thought */
	uint64_t told; /* what the arena's owner knows of its block; 0
			* when that is taken by arena_enter */
	void *record;  /* what the arena's owner knows it by, or NULL */
};

/* When some bytes were freed: in the latest of all epochs, and in the order of
 * that stream if all of it was; else 0. */
struct arena_age {
	uint64_t epoch;
	unsigned int stream;
};

struct arena {
	struct arena_cell **cells; /* by their offsets */
	/* Of each the end of the bytes that it, or one before it, may have. */
	uint64_t *ends;
	size_t ended;       /* so many of these are known */
	size_t count, room; /* of cells */
	struct arena_chunk *chunks;
	struct arena_cell *spare; /* linked by record */
	struct address_map by_offset;
	/* Bytes of live blocks as they were counted: a block may also be taken
	 * and freed uncounted (replay_step.h). What is owed makes up for
	 * those whose other end was counted; see arena_owed. */
	uint64_t counted;
	int64_t owed_blocks, owed_bytes;
	_Atomic size_t strays; /* that live */
	/* Of the memory that came to the arena; and of the frees of strays, of
	 * which the latest epoch may be read by whoever holds the course. */
	struct arena_age freed, stray_freed;
	_Atomic uint64_t stray_latest;
	_Atomic uint64_t now; /* how many requests came, in it or not */
};

/* Whether a block lives in the cell; the epoch is read after that. */
static inline bool arena_cell_lives(const struct arena_cell *cell)
{
	return atomic_load_explicit(&cell->live, memory_order_acquire);
}

static inline uint64_t arena_now(const struct arena *arena)
{
	return atomic_load_explicit(&arena->now, memory_order_relaxed);
}

/* One more request was served. One thread at a time says so. */
static inline void arena_pass(struct arena *arena)
{
	atomic_store_explicit(&arena->now, arena_now(arena) + 1,
			      memory_order_relaxed);
}

static inline uint64_t arena_cell_epoch(const struct arena_cell *cell)
{
	return atomic_load_explicit(&cell->epoch, memory_order_relaxed);
}

/* Forgets all cells. */
void arena_close(struct arena *arena);

/* The cell of an offset, or NULL. The second makes it if there is none, for
 * blocks of up to `reach` bytes, and returns NULL without memory. */
struct arena_cell *arena_find(const struct arena *arena, uint64_t offset);
struct arena_cell *arena_prepare(struct arena *arena, uint64_t offset,
				 uint64_t reach);

/* A block of so many bytes, not 0 and no more than the cell may have, lives in
 * it from now on, where none does. No live block overlaps it. now: how many
 * requests came before. */
void arena_enter(struct arena *arena, struct arena_cell *cell, uint64_t size,
		 uint32_t slot, bool stray, uint64_t now);

/* The cell's block was freed in that epoch, in the order of that stream. */
void arena_leave(struct arena *arena, struct arena_cell *cell, uint64_t epoch,
		 unsigned int stream, uint64_t now);

/* More bytes were freed. Epoch 0 is that of memory that nobody had. */
void arena_age(struct arena_age *age, uint64_t epoch, unsigned int stream);

/* A cell in which no block lives, and which is the place of no slot, is no
 * more. */
void arena_drop(struct arena *arena, struct arena_cell *cell);

/* Counts the cell as what it is. */
void arena_count(struct arena *arena, struct arena_cell *cell);

/* How many blocks, and bytes of them, were counted for one of their ends only
 * since this was asked last: so many more live than was counted, or fewer. */
struct arena_owed {
	int64_t blocks, bytes;
};
struct arena_owed arena_owed(struct arena *arena);

/* Whether no live block has any of these bytes. Then *age is that of all frees
 * there. Looks at all cells that may have some of them, and at some of those
 * before. */
bool arena_is_free(struct arena *arena, uint64_t offset, uint64_t size,
		   struct arena_age *age);

/* The age of all that is free. */
struct arena_age arena_latest(const struct arena *arena);

/* How many blocks live, and their bytes. Looks at all cells. */
size_t arena_live(const struct arena *arena, uint64_t *bytes);

/* Calls visit for each range of bytes, of the first `size`, in which no block
 * lives, from low to high. */
void arena_gaps(const struct arena *arena, uint64_t size,
		void (*visit)(void *argument, uint64_t offset, uint64_t size),
		void *argument);

#endif
