#include "fit.h"

#include <stdio.h>

#include "launch.h"

/* No search goes beyond these factors, and it ends once it is that close. */
static const double LEAST = 1.0 / 1024, CLOSE = 1.01;

struct search {
	const struct replay *replay;
	struct outcome *outcome;
	double fits, full; /* the largest and the smallest that were seen */
};

/* Returns false if it could not be tried. */
static bool try(struct search *search, double scale)
{
	struct outcome *outcome = search->outcome;
	struct player_result result;
	struct steps_file steps;
	char title[128];
	bool played;

	snprintf(title, sizeof(title), "%s, scale %.3g", outcome->pool, scale);
	if (!steps_open(&steps, &search->replay->script, scale))
		return false;
	played = player_run(&steps, outcome->pool, title, &result);
	steps_close(&steps);
	if (!played)
		return false;
	if (result.state == PLAYER_HAS_PLAYED)
		search->fits = scale;
	else
		search->full = scale;
	if (result.state == PLAYER_HAS_PLAYED || !search->fits)
		outcome->result = result;
	return true;
}

/* Finds a scale that fits and one that does not, a factor of two apart. */
static bool bracket(struct search *search)
{
	if (!try(search, 1))
		return false;
	while (!search->full && search->fits < FIT_MOST)
		if (!try(search, 2 * search->fits))
			return false;
	while (!search->fits && search->full > LEAST)
		if (!try(search, search->full / 2))
			return false;
	return true;
}

bool fit_find(const struct replay *replay, struct outcome *outcome)
{
	struct search search = {.replay = replay, .outcome = outcome};

	if (!bracket(&search))
		return false;
	while (search.fits && search.full && search.full / search.fits > CLOSE)
		if (!try(&search, (search.fits + search.full) / 2))
			return false;
	outcome->searched = true;
	outcome->fit = search.fits;
	return true;
}
