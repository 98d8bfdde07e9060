/* The parts of a replay, for the files that it is made of. */
#ifndef MNM_REPLAY_OWN_H
#define MNM_REPLAY_OWN_H

#include "replay.h"

enum {
	GRAM = REPLAY_GRAM,
	LIVES_ALIKE = 16, /* requests, and a part of a life, by which lives may
			   * differ */
	PAST_MOST = 16,
};

/* No request has it: neither one for nothing, nor one so large that its span,
 * rounded up, is 0. */
#define NO_SIZE UINT64_MAX

struct slot_state {
	struct arena_cell *cell; /* NULL: not placed yet in this arena */
	uint64_t turn;           /* the cycle in which it was placed last, from
				  * 2 on */
	uint64_t size;           /* of a plain request; or NO_SIZE */
	uint64_t life;           /* of its block, as a cell has it */
	unsigned int same; /* so often it was another one, always the same */
	/* When its block was freed, once the cell has another slot's. */
	struct replay_free freed;
};

/* Where a program is in the cycle. */
struct position {
	uint32_t next; /* the slot of the next request */
	uint64_t cycle;
	unsigned int missed; /* requests in a row without a slot */
	bool lost;           /* it is not known where it is */
	bool jumped;         /* it has gone on elsewhere, and no block has been
			      * placed in its turn since */
	/* Of the last request: its slot is the last one of its cycle; it was
	 * passed over before. And the slot itself, if it came in its turn and
	 * is for the very size, or REPLAY_NONE. */
	bool turned, stray;
	uint32_t slot;
};

/* What was in the arena before the plan was begun, or the program has gone on
 * elsewhere in it. */
struct past {
	/* Blocks of other plans, or of this one, that have lived on. */
	struct arena_cell *lives[PAST_MOST];
	size_t count;
	uint64_t epoch; /* the latest of the frees of all others; UINT64_MAX: it
			 * is not known, or too many lived on */
	/* The first slot that came after that, in which cycle. */
	uint32_t next;
	uint64_t cycle;
};

struct replay {
	uint32_t name; /* see replay_name */
	size_t count;  /* slots */
	size_t lap;    /* slots of a lap */
	size_t part;   /* of a lap, which it repeats as a whole */
	struct replay_slot *slots;
	struct slot_state *states;
	/* Of each slot its predecessors: before[starts[i]] up to, and without,
	 * before[starts[i + 1]]. */
	size_t *starts;
	uint32_t *before;
	/* Of each GRAM requests in a row the last one's slot in the first part
	 * of a lap, by a hash. */
	struct gram *grams;
	size_t grams_room;     /* a power of two */
	uint32_t recent[GRAM]; /* tokens of the last requests, a ring */
	uint32_t recent_at, recent_count;
	struct past past;
	struct position at;   /* behind the last request that was served */
	struct position then; /* behind the one that was asked for last */
	uint32_t token;       /* of that one */
	uint64_t epoch;       /* see replay_epoch */
	struct replay_run run;
};

/* The cycle in which a slot should have been placed last, as seen from the slot
 * of a request in that cycle. */
static inline uint64_t turn_due(uint64_t cycle, uint32_t slot,
				uint32_t seen_from)
{
	return slot < seen_from ? cycle : cycle - 1;
}

/* Whether the slot is one of those that would have come before that, in the
 * cycle in which it should have been placed last. What is where it would be is
 * of the past. */
static inline bool is_past(const struct replay *replay, uint64_t cycle,
			   uint32_t slot)
{
	return cycle < replay->past.cycle ||
	       (cycle == replay->past.cycle && slot < replay->past.next);
}

/* Whether all that was in the arena before that has been freed in epochs below
 * `safe`. */
static inline bool past_is_over(struct replay *replay, uint64_t safe)
{
	struct past *past = &replay->past;

	for (; past->count; past->count--) {
		const struct arena_cell *cell = past->lives[past->count - 1];

		if (arena_cell_lives(cell))
			return false;
		if (arena_cell_epoch(cell) > past->epoch)
			past->epoch = arena_cell_epoch(cell);
	}
	return past->epoch < safe;
}

/* Whether the block that the cell had last lived for about as long as it was
 * to. Where threads free by turns, that is never quite the same. */
static inline bool cell_lived(const struct arena_cell *cell)
{
	uint64_t life = cell->life;
	uint64_t lived =
		atomic_load_explicit(&cell->freed_at, memory_order_relaxed) -
		cell->taken_at;
	uint64_t more = lived > life ? lived - life : life - lived;

	return more <= LIVES_ALIKE + life / LIVES_ALIKE ||
	       life == ARENA_LIFE_ANY;
}

/* Whether the cell's block is, or was, that of the slot. */
static inline bool cell_is_of(const struct replay *replay,
			      const struct arena_cell *cell, uint32_t slot)
{
	return cell->slot == slot && cell->plan == replay->name;
}

/* The free of a slot's block, which does not live. */
static inline struct replay_free slot_freed(const struct replay *replay,
					    uint32_t slot)
{
	const struct slot_state *state = &replay->states[slot];
	const struct arena_cell *cell = state->cell;

	if (!cell_is_of(replay, cell, slot))
		return state->freed;
	return (struct replay_free){
		arena_cell_epoch(cell),
		atomic_load_explicit(&cell->stream, memory_order_relaxed)};
}

/* Another block is about to take the cell: that of the slot which it was for,
 * if any, has been freed. */
static inline void cell_pass(struct replay *replay,
			     const struct arena_cell *cell)
{
	struct slot_state *state;

	if (cell->plan != replay->name || cell->slot >= replay->count)
		return;
	state = &replay->states[cell->slot];
	if (state->cell == cell)
		state->freed = slot_freed(replay, cell->slot);
}

/* One more request came as the cycle has it. */
static inline void replay_run_on(struct replay_run *run, uint32_t slot,
				 uint64_t size)
{
	if (!run->count)
		run->first = slot;
	run->count++;
	run->bytes += size;
}

/* Nothing is known of the past. */
void past_forget(struct replay *replay);

/* A block is about to be placed in the slot of the request that was asked for
 * last. If the program has gone on elsewhere since one was placed in its turn,
 * all that is in the arena is of the past from now on. */
void past_jump(struct replay *replay, const struct arena *arena, uint32_t slot);

/* Finds the places of the grams. Returns false without memory. */
bool grams_open(struct replay *replay);

/* The slot of the request that was asked for last, if only one place of a part
 * has that one behind the ones before; or REPLAY_NONE. Of several parts and
 * laps it is the one that the program comes to first. */
uint32_t grams_find(const struct replay *replay);

#endif
