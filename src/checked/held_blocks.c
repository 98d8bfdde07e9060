#include "held_blocks.h"

#include <stdlib.h>

enum { ROOM_LEAST = 64 };

void held_blocks_close(struct held_blocks *held)
{
	free(held->slots);
	*held = (struct held_blocks){0};
}

/* The slot where a search for the block begins. */
static size_t home_of(const struct held_blocks *held,
		      const struct mnm_block *block)
{
	uint64_t hash = (uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15);

	return hash >> 32 & (held->room - 1);
}

/* The slot that has the block, or the empty one where it would be. */
static struct held_block *slot_of(const struct held_blocks *held,
				  const struct mnm_block *block)
{
	size_t at = home_of(held, block);

	while (held->slots[at].block && held->slots[at].block != block)
		at = (at + 1) & (held->room - 1);
	return &held->slots[at];
}

static bool held_grow(struct held_blocks *held)
{
	struct held_blocks larger = *held;

	larger.room = held->room ? 2 * held->room : ROOM_LEAST;
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < held->room; i++)
		if (held->slots[i].block)
			*slot_of(&larger, held->slots[i].block) =
				held->slots[i];
	free(held->slots);
	*held = larger;
	return true;
}

bool held_blocks_add(struct held_blocks *held, struct mnm_block *block)
{
	if (2 * (held->count + 1) > held->room && !held_grow(held))
		return false;
	*slot_of(held, block) = (struct held_block){
		.block = block,
		.span = block->span,
		.epoch = block->epoch,
		.stream = block->stream,
	};
	held->count++;
	held->bytes += block->span;
	return true;
}

const struct held_block *held_blocks_find(const struct held_blocks *held,
					  const struct mnm_block *block)
{
	const struct held_block *slot;

	if (!held->room || !block)
		return NULL;
	slot = slot_of(held, block);
	return slot->block ? slot : NULL;
}

/* What stands behind the empty slot moves up, unless its search begins
 * later. */
static void gap_close(struct held_blocks *held, size_t gap)
{
	size_t mask = held->room - 1, at = gap, home;

	for (;;) {
		at = (at + 1) & mask;
		if (!held->slots[at].block)
			return;
		home = home_of(held, held->slots[at].block);
		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		held->slots[gap] = held->slots[at];
		held->slots[at].block = NULL;
		gap = at;
	}
}

void held_blocks_remove(struct held_blocks *held, const struct mnm_block *block)
{
	struct held_block *slot = slot_of(held, block);

	held->count--;
	held->bytes -= slot->span;
	slot->block = NULL;
	gap_close(held, (size_t)(slot - held->slots));
}

struct mnm_block *held_blocks_take_all(struct held_blocks *held)
{
	struct mnm_block *list = NULL;

	for (size_t i = 0; i < held->room; i++) {
		struct mnm_block *block = held->slots[i].block;

		if (!block)
			continue;
		*block = (struct mnm_block){held->slots[i].stream,
					    held->slots[i].span,
					    held->slots[i].epoch, list};
		list = block;
	}
	held_blocks_close(held);
	return list;
}
