#include "idle_places.h"

#include <stdlib.h>

enum { ROOM_LEAST = 256, ROOM_MOST = 1 << 16 }; /* places; powers of two */

/* The places that are to be had for those whose count is not 0. */
static size_t room_for(const struct places *places)
{
	size_t used = 0, room = places->room ? places->room : ROOM_LEAST;

	for (size_t i = 0; i < places->room; i++)
		used += places->at[i].more != 0;
	while (used >= room / 2 && room < ROOM_MOST)
		room *= 2;
	return room;
}

/* Copies only the places whose count is not 0, and fills no more than half. */
bool places_grow(struct places *places)
{
	struct places before = *places;
	size_t room = room_for(places);

	places->at = calloc(room, sizeof(*places->at));
	if (!places->at) {
		*places = before;
		return false;
	}
	places->room = room;
	places->count = 0;
	for (size_t i = 0; i < before.room; i++) {
		const struct idle_place *old = &before.at[i];

		if (!old->more || places->count >= room / 2)
			continue;
		*place_of(places, old->span) = *old;
		places->count++;
	}
	free(before.at);
	return true;
}

/* The blocks are first freed that served in the beginning, then so many serve
 * as ever did, and then the others of them are freed. */
size_t places_learn(struct places *places, const struct roomy_event *event)
{
	int64_t before = more_of(places, event->span) - event->least;
	int64_t served = event->most - event->least;
	int64_t fresh = served - (before > 0 ? before : 0);

	fresh = fresh > 0 ? fresh : 0;
	more_add(places, event->span, fresh - event->more);
	more_add(places, event->given, event->more);
	return (size_t)fresh;
}

/* Lists the spans anew, from all places. */
static void lacks_list(struct places *places)
{
	places->lacks_count = 0;
	places->unlisted = false;
	for (size_t i = 0; i < places->room; i++)
		if (places->at[i].more < 0)
			places_lack(places, places->at[i].span);
}

/* The larger one of two spans, if it is less than `below`. */
static size_t larger(size_t span, size_t other, size_t below)
{
	return other < below && other > span ? other : span;
}

size_t places_surplus(struct places *places, size_t below)
{
	size_t span = 0;

	if (places->unlisted)
		lacks_list(places);
	for (size_t i = places->lacks_count; i--;)
		if (more_of(places, places->lacks[i]) < 0)
			span = larger(span, places->lacks[i], below);
		else
			places->lacks[i] = places->lacks[--places->lacks_count];
	for (size_t i = 0; places->unlisted && i < places->room; i++)
		if (places->at[i].more < 0)
			span = larger(span, places->at[i].span, below);
	return span;
}

void places_clear(struct places *places)
{
	free(places->at);
	*places = (struct places){0};
}
