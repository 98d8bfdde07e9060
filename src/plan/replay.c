#include "replay.h"

#include <stdlib.h>

#include "replay_own.h"

enum {
	AHEAD = 2,  /* slots that may be passed over at once */
	BEHIND = 3, /* how far back a slot may be that was passed over */
	LOST = 16,  /* so many requests without a slot, and the place is lost */
	LEAST = 2,  /* a request of its slot's size divided by it has to be
		     * larger */
	SAME = 3,   /* times that a life was the same again */
};

size_t replay_count(const struct replay *replay)
{
	return replay->count;
}

size_t replay_lap(const struct replay *replay)
{
	return replay->lap;
}

size_t replay_part(const struct replay *replay)
{
	return replay->part;
}

unsigned int replay_missed(const struct replay *replay)
{
	return replay->at.missed;
}

const struct replay_slot *replay_slot_at(const struct replay *replay,
					 uint32_t slot)
{
	return &replay->slots[slot];
}

uint32_t replay_next(const struct replay *replay)
{
	return replay->at.lost ? REPLAY_NONE : replay->at.next;
}

uint64_t replay_cycles(const struct replay *replay)
{
	return replay->at.cycle;
}

void replay_name(struct replay *replay, uint32_t name)
{
	replay->name = name;
}

void replay_leave(struct replay *replay)
{
	for (size_t i = 0; i < replay->count; i++)
		replay->states[i].cell = NULL;
	past_forget(replay);
}

/* No slot is known to have been placed in its turn: another plan may have had
 * its bytes since. */
void replay_begin(struct replay *replay, uint32_t next)
{
	replay->at = (struct position){
		.next = next == REPLAY_NONE ? 0 : next,
		.cycle = replay->at.cycle + 2,
		.lost = next == REPLAY_NONE,
	};
	replay->recent_count = 0;
	replay->run = (struct replay_run){0};
	replay->past.cycle = replay->at.cycle;
	replay->past.next = replay->at.next;
	past_forget(replay);
}

static bool slot_is(const struct replay *replay, uint32_t slot, uint32_t token)
{
	return replay->slots[slot].token == token;
}

bool replay_fits(const struct replay *replay, uint32_t slot, uint32_t token,
		 uint64_t size)
{
	const struct replay_slot *at = &replay->slots[slot];

	return at->token == token ||
	       (size < at->size && size > at->size / LEAST);
}

/* Goes on behind a slot, which is the request's. */
static uint32_t replay_pass(struct replay *replay, uint32_t slot)
{
	struct position *then = &replay->then;

	then->next = slot + 1;
	if (then->next == replay->count) {
		then->next = 0;
		then->cycle++;
		then->turned = true;
	}
	then->missed = 0;
	then->slot = slot;
	return slot;
}

/* A slot that was passed over a moment ago, and has not been used. */
static uint32_t slot_behind(const struct replay *replay, uint32_t token)
{
	const struct position *then = &replay->then;
	uint32_t slot;

	for (uint32_t i = 1; i <= BEHIND && i <= then->next; i++) {
		slot = then->next - i;
		if (replay->states[slot].turn != then->cycle &&
		    slot_is(replay, slot, token))
			return slot;
	}
	return REPLAY_NONE;
}

/* Looks for the request near the place where the program should be. */
static uint32_t find_near(struct replay *replay, uint32_t token, uint64_t size)
{
	uint32_t slot;

	for (uint32_t i = 1; i <= AHEAD; i++) {
		slot = replay->then.next + i;
		if (slot < replay->count && slot_is(replay, slot, token))
			return replay_pass(replay, slot);
	}
	slot = slot_behind(replay, token);
	if (slot != REPLAY_NONE) {
		replay->then.stray = true;
		return slot;
	}
	if (!replay_fits(replay, replay->then.next, token, size))
		return REPLAY_NONE;
	slot = replay_pass(replay, replay->then.next);
	replay->then.slot = REPLAY_NONE; /* it is for another size */
	return slot;
}

/* Looks for the place by the last requests. */
static uint32_t find_anew(struct replay *replay)
{
	uint32_t slot = grams_find(replay);

	if (slot == REPLAY_NONE)
		return REPLAY_NONE;
	/* It goes on before the place where it was: that is another cycle. */
	if (slot < replay->then.next)
		replay->then.cycle++;
	replay->then.lost = false;
	replay->then.jumped = true;
	return replay_pass(replay, slot);
}

uint32_t replay_ask(struct replay *replay, uint32_t token, uint64_t size)
{
	struct position *then = &replay->then;
	uint32_t slot = REPLAY_NONE;

	*then = replay->at;
	then->turned = then->stray = false;
	then->slot = REPLAY_NONE;
	replay->token = token;
	if (!then->lost && slot_is(replay, then->next, token))
		return replay_pass(replay, then->next);
	if (!then->lost)
		slot = find_near(replay, token, size);
	if (slot == REPLAY_NONE)
		slot = find_anew(replay);
	if (slot == REPLAY_NONE && ++then->missed == LOST)
		then->lost = true;
	return slot;
}

uint32_t replay_came(const struct replay *replay)
{
	return replay->then.slot;
}

static void recent_note(struct replay *replay, uint32_t token)
{
	replay->recent[replay->recent_at] = token;
	replay->recent_at = (replay->recent_at + 1) % GRAM;
	if (replay->recent_count < GRAM)
		replay->recent_count++;
}

bool replay_served(struct replay *replay, bool placed)
{
	uint32_t slot = replay->then.slot;
	struct replay_run *run = &replay->run;

	replay->at = replay->then;
	recent_note(replay, replay->token);
	if (!placed || slot == REPLAY_NONE)
		return false;
	if ((run->first + run->count) % replay->count != slot)
		*run = (struct replay_run){0};
	replay_run_on(run, slot, replay->slots[slot].size);
	return true;
}

/* Of requests that replay_step has served, the last ones are noted now. */
struct replay_run replay_run(struct replay *replay)
{
	const struct replay_run run = replay->run;
	uint64_t last = run.steps < GRAM ? run.steps : GRAM;
	uint64_t end = run.first + run.count;

	for (; last; last--)
		recent_note(replay,
			    replay->slots[(end - last) % replay->count].token);
	replay->run = (struct replay_run){0};
	return run;
}

static bool is_followed(const struct replay *replay, const struct arena *arena,
			uint32_t slot)
{
	const uint32_t *before = &replay->before[replay->starts[slot]];
	const uint32_t *end = &replay->before[replay->starts[slot + 1]];
	uint64_t cycle = replay->then.cycle - replay->then.turned;

	if (replay->then.stray || arena->strays)
		return false;
	for (; before != end; before++)
		if (replay->states[*before].turn !=
		    turn_due(cycle, *before, slot))
			return false;
	return true;
}

/* The predecessors that live still do so for longer than planned. How long,
 * replay_lived is to be asked when they have ended. */
static enum replay_answer late_note(struct replay *replay, uint32_t slot)
{
	const uint32_t *before = &replay->before[replay->starts[slot]];
	const uint32_t *end = &replay->before[replay->starts[slot + 1]];

	for (; before != end; before++) {
		struct slot_state *state = &replay->states[*before];
		struct arena_cell *cell = state->cell;

		if (cell && cell_is_of(replay, cell, *before) &&
		    arena_cell_lives(cell))
			state->life = cell->life = ARENA_LIFE_OTHER;
	}
	return REPLAY_TAKEN;
}

/* Where the cycle was followed, only the predecessors may be in the way. */
static enum replay_answer look_before(struct replay *replay, uint32_t slot,
				      replay_ready *ready, void *argument)
{
	const uint32_t *before = &replay->before[replay->starts[slot]];
	const uint32_t *end = &replay->before[replay->starts[slot + 1]];
	enum replay_answer answer = REPLAY_FREE;

	for (; before != end; before++) {
		struct arena_cell *cell = replay->states[*before].cell;
		struct replay_free freed;

		/* Another slot at the same offset may live there since. */
		if (cell_is_of(replay, cell, *before) && arena_cell_lives(cell))
			return late_note(replay, slot);
		freed = slot_freed(replay, *before);
		if (freed.epoch > replay->epoch)
			replay->epoch = freed.epoch;
		if (!ready(&freed, argument))
			answer = REPLAY_EARLY;
	}
	return answer;
}

enum replay_answer replay_look(struct replay *replay, struct arena *arena,
			       uint32_t slot, replay_ready *ready,
			       void *argument)
{
	const struct replay_slot *at = &replay->slots[slot];
	/* A stray may have had the bytes after the predecessors. */
	const struct replay_free stray = {arena->stray_freed.epoch,
					  arena->stray_freed.stream};
	struct arena_age age;
	struct replay_free latest;

	replay->epoch = stray.epoch;
	if (is_followed(replay, arena, slot) && ready(&stray, argument))
		return look_before(replay, slot, ready, argument);
	if (!arena_is_free(arena, at->offset, at->size, &age))
		return late_note(replay, slot);
	latest = (struct replay_free){age.epoch, age.stream};
	replay->epoch = latest.epoch;
	return ready(&latest, argument) ? REPLAY_FREE : REPLAY_EARLY;
}

bool replay_lived(const struct arena_cell *cell)
{
	return cell_lived(cell);
}

void replay_lives(struct replay *replay, uint32_t slot, uint32_t life)
{
	struct slot_state *state = &replay->states[slot];

	state->same = replay->slots[slot].life == life ? state->same + 1 : 0;
	replay->slots[slot].life = life;
	if (state->same >= SAME)
		state->life = life;
}

struct arena_cell *replay_cell(const struct replay *replay, uint32_t slot)
{
	return replay->states[slot].cell;
}

uint64_t replay_epoch(const struct replay *replay)
{
	return replay->epoch;
}

struct arena_cell *replay_stray(struct replay *replay, struct arena *arena,
				uint64_t offset, uint64_t size, uint64_t now)
{
	struct arena_cell *cell = arena_prepare(arena, offset, size);

	if (!cell)
		return NULL;
	cell_pass(replay, cell);
	arena_enter(arena, cell, size, REPLAY_NONE, true, now);
	return cell;
}

/* A smaller block is ordered behind who had its own bytes before, and so is its
 * free. Of the rest of the place that says nothing. */
struct arena_cell *replay_take(struct replay *replay, struct arena *arena,
			       uint32_t slot, uint64_t size, uint64_t now)
{
	const struct replay_slot *at = &replay->slots[slot];
	struct arena_cell *cell = arena_prepare(arena, at->offset, at->size);
	struct slot_state *state = &replay->states[slot];

	if (!cell)
		return NULL;
	past_jump(replay, arena, slot);
	cell->planned = true;
	cell_pass(replay, cell);
	state->cell = cell;
	state->turn =
		size == at->size ? replay->then.cycle - replay->then.turned : 0;
	arena_enter(arena, cell, size, slot, replay->then.stray, now);
	cell->plan = replay->name;
	cell->life = state->life;
	return cell;
}
