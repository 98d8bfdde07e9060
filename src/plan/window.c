#include "window.h"

#include <stdlib.h>

/* What a window costs is the cost of all that begins before its end, without
 * what ends by its begin. */
static bool window_look(const uint64_t *begun, const uint64_t *ended,
			const bool *taken, size_t units, size_t want,
			struct window *found)
{
	size_t free_units = 0;
	uint64_t cost;
	bool any = false;

	for (size_t end = 1; end <= units; end++) {
		free_units = taken[end - 1] ? 0 : free_units + 1;
		if (free_units < want)
			continue;
		cost = begun[end] - ended[end - want];
		if (any && cost >= found->cost)
			continue;
		*found = (struct window){.begin = end - want, .cost = cost};
		any = true;
	}
	return any;
}

bool window_find(const struct window_slot *slots, size_t count,
		 const bool *taken, size_t units, size_t want,
		 struct window *found)
{
	/* The costs of what begins before a unit, and ends by it. */
	uint64_t *begun = calloc(units + 1, sizeof(*begun));
	uint64_t *ended = calloc(units + 1, sizeof(*ended));
	bool any = false;

	for (size_t i = 0; begun && ended && i < count; i++) {
		if (slots[i].begin < units)
			begun[slots[i].begin + 1] += slots[i].cost;
		if (slots[i].end <= units)
			ended[slots[i].end] += slots[i].cost;
	}
	for (size_t i = 1; begun && ended && i <= units; i++) {
		begun[i] += begun[i - 1];
		ended[i] += ended[i - 1];
	}
	if (begun && ended)
		any = window_look(begun, ended, taken, units, want, found);
	free(begun);
	free(ended);
	return any;
}
