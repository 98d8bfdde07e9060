/* The idle blocks that a pool has, as its caller knows it: which they are, and
 * what each was when the pool got it. */
#ifndef MNM_HELD_BLOCKS_H
#define MNM_HELD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/pool.h>

struct held_block {
	struct mnm_block *block; /* NULL: this slot is empty */
	size_t span;
	uint64_t epoch, stream;
};

/* A table with open addresses, at most half full. */
struct held_blocks {
	struct held_block *slots;
	size_t room; /* slots, a power of two; or 0 */
	size_t count, bytes;
};

void held_blocks_close(struct held_blocks *held);

/* Notes a block. Returns false without memory. */
bool held_blocks_add(struct held_blocks *held, struct mnm_block *block);

/* What is known of a block, or NULL if the pool does not have it: then the
 * pointer may be anything, and is not looked at. */
const struct held_block *held_blocks_find(const struct held_blocks *held,
					  const struct mnm_block *block);

/* The block, which is known, leaves the pool. */
void held_blocks_remove(struct held_blocks *held,
			const struct mnm_block *block);

/* Takes all blocks, linked by next, as they were; NULL if there are none. */
struct mnm_block *held_blocks_take_all(struct held_blocks *held);

#endif
