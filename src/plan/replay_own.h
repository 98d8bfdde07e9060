/* The parts of a replay, for the files that it is made of. */
#ifndef MNM_REPLAY_OWN_H
#define MNM_REPLAY_OWN_H

#include "replay.h"

enum {
	GRAM = REPLAY_GRAM,
	LIVES_ALIKE = 16, /* requests, and a part of a life, by which lives may
			   * differ */
};

/* No request has it: neither one for nothing, nor one so large that its span,
 * rounded up, is 0. */
#define NO_SIZE UINT64_MAX

struct slot_state {
	struct arena_cell *cell; /* NULL: not placed yet in this arena */
	uint64_t turn;           /* the cycle in which it was placed last, from
				  * 2 on */
	uint64_t size;           /* of a plain request; or NO_SIZE */
	uint64_t life;           /* of its block, in requests */
	/* When its block was freed, once the cell has another slot's. */
	struct replay_free freed;
};

/* Where a program is in the cycle. */
struct position {
	uint32_t next; /* the slot of the next request */
	uint64_t cycle;
	unsigned int missed; /* requests in a row without a slot */
	bool lost;           /* it is not known where it is */
	/* Of the last request: its slot is the last one of its cycle; it was
	 * passed over before. And the slot itself, if it came in its turn and
	 * is for the very size, or REPLAY_NONE. */
	bool turned, stray;
	uint32_t slot;
};

struct replay {
	size_t count; /* slots */
	size_t lap;   /* slots of a lap */
	size_t part;  /* of a lap, which it repeats as a whole */
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

/* The free of a slot's block, which does not live. */
static inline struct replay_free slot_freed(const struct slot_state *state,
					    uint32_t slot)
{
	const struct arena_cell *cell = state->cell;

	if (cell->slot != slot)
		return state->freed;
	return (struct replay_free){
		arena_cell_epoch(cell),
		atomic_load_explicit(&cell->stream, memory_order_relaxed)};
}

/* Whether the block that the cell had last lived for about as long as its slot
 * says. Where threads free by turns, that is never quite the same. */
static inline bool cell_lived(const struct replay *replay,
			      const struct arena_cell *cell)
{
	uint64_t life = replay->states[cell->slot].life;
	uint64_t lived =
		atomic_load_explicit(&cell->freed_at, memory_order_relaxed) -
		cell->taken_at;
	uint64_t more = lived > life ? lived - life : life - lived;

	return more <= LIVES_ALIKE + life / LIVES_ALIKE;
}

static inline bool replay_lived_there(const struct replay *replay,
				      const struct arena_cell *cell)
{
	return cell->slot >= replay->count || cell_lived(replay, cell);
}

/* Another block is about to take the cell: that of the slot which it was for,
 * if any, has been freed. */
static inline void cell_pass(struct replay *replay,
			     const struct arena_cell *cell)
{
	struct slot_state *state;

	if (cell->slot >= replay->count)
		return;
	state = &replay->states[cell->slot];
	if (state->cell == cell)
		state->freed = slot_freed(state, cell->slot);
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

/* Finds the places of the grams. Returns false without memory. */
bool grams_open(struct replay *replay);

/* The slot of the request that was asked for last, if only one place of a part
 * has that one behind the ones before; or REPLAY_NONE. Of several parts and
 * laps it is the one that the program comes to first. */
uint32_t grams_find(const struct replay *replay);

#endif
