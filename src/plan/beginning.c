#include "plan/beginning.h"

#include "plan/cycle.h"
#include "plan/replay.h"

enum { LOOK = 32 }; /* requests by which an iteration is known */

static uint32_t token_of(const struct cycle *cycle, uint64_t request)
{
	return cycle->requests[request % cycle->count].token;
}

/* Whether the program came as the iteration does from that request on. */
static bool came_as(const struct cycle *cycle, uint64_t serial, uint32_t least)
{
	uint64_t i = 0;

	if (serial + LOOK > cycle->before_count)
		return false;
	while (i < LOOK &&
	       cycle->before[serial + i].token == token_of(cycle, least + i))
		i++;
	return i == LOOK;
}

static bool begin_equal(const struct cycle *cycle, uint32_t slot,
			uint32_t least)
{
	uint64_t i = 0;

	while (i < LOOK &&
	       token_of(cycle, slot + i) == token_of(cycle, least + i))
		i++;
	return i == LOOK;
}

/* Of iterations that are a part of a longer one, several begin alike. The first
 * one of a program may have more requests than later ones, as it takes what the
 * program keeps. So the slot is the one that leaves the fewest of these. */
static uint32_t slot_of(const struct cycle *cycle, uint64_t serial,
			uint32_t least)
{
	uint64_t phase = cycle->first % cycle->length + cycle->length -
			 serial % cycle->length;
	uint64_t best = UINT64_MAX;
	uint32_t slot = least;

	for (uint32_t i = 0; i < cycle->count; i++) {
		uint64_t more =
			(cycle->requests[i].at + phase) % cycle->length;

		if (more >= best || !begin_equal(cycle, i, least))
			continue;
		best = more;
		slot = i;
	}
	return slot;
}

/* Whether a buffer of the first iteration lived for longer than those of the
 * plan do. A few requests more are no matter: the first iteration has some. */
static bool life_is_longer(const struct cycle *cycle, size_t request,
			   uint32_t life)
{
	uint32_t place = cycle->requests[request].place;
	const struct plan_buffer *planned = &cycle->problem.buffers[place];

	return place != CYCLE_NONE &&
	       (!life || life > planned->upper - planned->lower + cycle->length);
}

struct beginning beginning_find(const struct cycle *cycle, uint32_t least)
{
	struct beginning beginning = {0};
	uint64_t serial = 0;

	while (serial < cycle->before_count && !came_as(cycle, serial, least))
		serial++;
	if (serial >= cycle->before_count)
		return beginning;
	beginning.known = true;
	beginning.requests = serial;
	beginning.slot = slot_of(cycle, serial, least);
	for (uint64_t i = 0; i < serial; i++)
		beginning.sum = beginning_add(beginning.sum, cycle->before[i].token);
	return beginning;
}

void beginning_mark_kept(const struct beginning *beginning,
			 struct cycle *cycle, struct replay *replay)
{
	const struct cycle_before *at;
	uint32_t slot, next;

	if (!beginning->known)
		return;
	replay_begin(replay, beginning->slot);
	for (uint64_t i = beginning->requests; i < cycle->before_count; i++) {
		at = &cycle->before[i];
		slot = replay_ask(replay, at->token, at->size);
		replay_served(replay);
		if (slot != REPLAY_NONE &&
		    life_is_longer(cycle, slot % cycle->count, at->life))
			cycle->requests[slot % cycle->count].kept = true;
		next = replay_next(replay);
		if (next != REPLAY_NONE && slot != REPLAY_NONE &&
		    next % cycle->count == beginning->slot)
			break;
	}
	replay_begin(replay, REPLAY_NONE);
}
