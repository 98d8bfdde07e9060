/* What was in the arena before a plan was begun, or the program has gone on
 * elsewhere in it. */
#include "replay_own.h"

void past_forget(struct replay *replay)
{
	replay->past.count = 0;
	replay->past.epoch = UINT64_MAX;
}

void replay_past(struct replay *replay, const struct arena *arena)
{
	struct past *past = &replay->past;

	past_forget(replay);
	past->epoch = 0;
	for (size_t i = 0; i < arena->count; i++) {
		struct arena_cell *cell = arena->cells[i];

		if (!arena_cell_lives(cell)) {
			if (arena_cell_epoch(cell) > past->epoch)
				past->epoch = arena_cell_epoch(cell);
		} else if (past->count < PAST_MOST) {
			past->lives[past->count++] = cell;
		} else {
			past_forget(replay);
			return;
		}
	}
}

/* The slots that were passed over as the program went on elsewhere have not
 * been placed. */
void past_jump(struct replay *replay, const struct arena *arena, uint32_t slot)
{
	struct position *then = &replay->then;

	if (!then->jumped)
		return;
	then->jumped = false;
	replay_past(replay, arena);
	replay->past.cycle = then->cycle - then->turned;
	replay->past.next = slot;
}
