/* The short way of a replay: a request that comes as the cycle has it, in no
 * stream's order, while the plan is followed. It asks for nothing and leaves
 * all else to replay_ask. A block may be freed meanwhile by another thread, as
 * arena_cell_free does it; all else is one thread's at a time.
 *
 * Blocks are not counted here; see arena_owed. */
#ifndef MNM_REPLAY_STEP_H
#define MNM_REPLAY_STEP_H

#include "replay_own.h"

/* Whether the bytes of a slot are free, and ready, for what is asked for in a
 * turn: so are those of its predecessors, which have been placed in theirs, or
 * else those of all that was there before. */
static inline bool replay_step_is_free(struct replay *replay, uint32_t slot,
				       uint64_t safe)
{
	const uint32_t *before = &replay->before[replay->starts[slot]];
	const uint32_t *end = &replay->before[replay->starts[slot + 1]];

	for (; before != end; before++) {
		const struct slot_state *state = &replay->states[*before];
		const struct arena_cell *cell = state->cell;
		uint64_t due = turn_due(replay->at.cycle, *before, slot);

		if (state->turn != due) {
			if (!is_past(replay, due, *before) ||
			    !past_is_over(replay, safe))
				return false;
			continue;
		}
		if ((cell_is_of(replay, cell, *before) &&
		     arena_cell_lives(cell)) ||
		    slot_freed(replay, *before).epoch >= safe)
			return false;
	}
	return true;
}

/* Serves a plain request of size bytes by the next slot of the plan, if that is
 * what it asks for, has been placed before, and its bytes were freed in epochs
 * below `safe`. now: how many requests came before. Returns its cell, or NULL,
 * also if the last block there has lived for another time than planned. */
static inline struct arena_cell *replay_step(struct replay *replay,
					     const struct arena *arena,
					     uint64_t size, uint64_t safe,
					     uint64_t now)
{
	uint32_t slot = replay->at.next;
	struct slot_state *state = &replay->states[slot];
	struct arena_cell *cell = state->cell;

	if (state->size != size || !cell || !cell->record || replay->at.lost ||
	    replay->at.missed || arena_cell_lives(cell) ||
	    atomic_load_explicit(&arena->strays, memory_order_acquire) ||
	    atomic_load_explicit(&arena->stray_latest, memory_order_relaxed) >=
		    safe ||
	    !replay_step_is_free(replay, slot, safe) || !cell_lived(cell))
		return NULL;
	cell_pass(replay, cell);
	state->turn = replay->at.cycle;
	cell->plan = replay->name;
	cell->slot = slot;
	cell->size = size;
	cell->life = state->life;
	cell->taken_at = now;
	atomic_store_explicit(&cell->live, true, memory_order_relaxed);
	replay_run_on(&replay->run, slot, size);
	replay->run.steps++;
	if (++replay->at.next == replay->count) {
		replay->at.next = 0;
		replay->at.cycle++;
	}
	return cell;
}

/* The cell's block, no stray, was freed in that epoch, in no stream's order,
 * after so many requests. */
static inline void arena_cell_free(struct arena_cell *cell, uint64_t epoch,
				   uint64_t now)
{
	atomic_store_explicit(&cell->freed_at, now, memory_order_relaxed);
	atomic_store_explicit(&cell->epoch, epoch, memory_order_relaxed);
	atomic_store_explicit(&cell->stream, 0, memory_order_relaxed);
	atomic_store_explicit(&cell->live, false, memory_order_release);
}

#endif
