/* An arena: a range of addresses in which blocks are placed where a plan says.
 * It knows which of them are live, so that no address is handed out twice. All
 * figures are bytes; offsets count from the arena's first address. */
#ifndef MNM_ARENA_H
#define MNM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "address_map.h"

struct arena_block {
	uint64_t offset, size;
	uint32_t slot; /* of the plan; REPLAY_NONE (replay.h): none */
	uint32_t plan; /* a template's id */
	bool stray;    /* it was not placed in the plan's order */
	uint64_t lap;  /* in which it came, if it has no slot */
};

/* When some bytes were freed: in the latest of all epochs, and in the order of
 * that stream if all of it was; else 0. */
struct arena_age {
	uint64_t epoch;
	unsigned int stream;
};

struct arena {
	struct arena_block *blocks; /* live ones, in no order */
	size_t count, room;         /* of blocks */
	struct address_map indices; /* of blocks, by their offsets */
	uint64_t live;              /* bytes of blocks */
	size_t strays;              /* of blocks */
	/* Of all blocks that were freed, and of strays. The first begins as
	 * that of the arena's memory. */
	struct arena_age freed, stray_freed;
};

/* More bytes were freed. Epoch 0 is that of memory that nobody had. */
void arena_age(struct arena_age *age, uint64_t epoch, unsigned int stream);

void arena_close(struct arena *arena);

/* Makes room for so many live blocks. Returns false without memory. */
bool arena_prepare(struct arena *arena, size_t count);

/* A block is live. There is room for it, no live block overlaps it, and its
 * size is not 0. */
void arena_enter(struct arena *arena, const struct arena_block *block);

/* The live block that begins there, or NULL. It is valid until the next
 * change. */
const struct arena_block *arena_find(const struct arena *arena,
				     uint64_t offset);

/* The block, which arena_find has found, was freed. */
void arena_leave(struct arena *arena, const struct arena_block *block,
		 uint64_t epoch, unsigned int stream);

/* Whether no live block has any of these bytes. Looks at all of them. */
bool arena_is_free(const struct arena *arena, uint64_t offset, uint64_t size);

/* Sorts the live blocks by their offsets, and calls visit for each range of
 * bytes, of the first `size`, in which none lives. */
void arena_gaps(struct arena *arena, uint64_t size,
		void (*visit)(void *argument, uint64_t offset, uint64_t size),
		void *argument);

#endif
