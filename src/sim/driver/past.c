#include "past.h"

#include <stdlib.h>
#include <string.h>

static bool past_grow(struct past *past, unsigned room)
{
	uint64_t *at;

	if (room <= past->room)
		return true;
	at = realloc(past->at, room * sizeof(*at));
	if (!at)
		return false;
	memset(at + past->room, 0, (room - past->room) * sizeof(*at));
	past->at = at;
	past->room = room;
	return true;
}

bool past_join(struct past *past, const struct past *other)
{
	if (!past_grow(past, other->room))
		return false;
	for (unsigned i = 0; i < other->room; i++)
		if (past->at[i] < other->at[i])
			past->at[i] = other->at[i];
	return true;
}

bool past_reach(struct past *past, unsigned lane, uint64_t position)
{
	if (!past_grow(past, (lane + 8) & ~7U))
		return false;
	if (past->at[lane] < position)
		past->at[lane] = position;
	return true;
}

bool past_has(const struct past *past, unsigned lane, uint64_t position)
{
	return lane < past->room && past->at[lane] >= position;
}

bool past_covers(const struct past *past, const struct past *other)
{
	for (unsigned i = 0; i < other->room; i++)
		if (other->at[i] && !past_has(past, i, other->at[i]))
			return false;
	return true;
}

void past_clear(struct past *past)
{
	free(past->at);
	*past = (struct past){0};
}
