/* Requests of which most are equal to those about one distance earlier, though
 * some come or go each time. Both stretches are read backwards side by side;
 * where they differ, the nearest places from which they agree again are looked
 * for. */
#include "plan/finder.h"

enum {
	LEAST_LAG = 32,
	LEAST_VOTES = 3,
	NEAR = 3,         /* requests; and a 64th of the distance besides */
	ANCHOR = 3,       /* equal requests after which both agree again */
	SHORT_ANCHOR = 2, /* the same, where at most two are missing */
	MOST_GAP = 24,    /* requests that may be missing at one place */
	MOST_MISSED = 15, /* of 100 that are equal; and that many besides */
	MOST_KEPT = 16,   /* that part of what an iteration asks for */
};

struct align {
	const struct history *history;
	uint64_t lag;  /* the distance to begin with */
	uint64_t i, j; /* what comes before these is compared next */
	uint64_t equal;
	uint64_t missed;       /* requests of both that have no partner */
	uint64_t missed_bytes; /* of these, those from i on */
	uint64_t steps;
};

/* Whether both agree again before i and j. A single request that came or went
 * needs less proof than a gap. */
static bool align_agrees(struct align *align, uint64_t i, uint64_t j)
{
	uint64_t gap = align->i - i + align->j - j;
	uint64_t anchor = gap <= 2 ? SHORT_ANCHOR : ANCHOR;

	align->steps++;
	/* It is the same distance still, if not to the last request. */
	if (i - j - (align->lag - align->lag / 4) > align->lag / 2)
		return false;
	return history_match_back(align->history, i, i - j, anchor) == anchor;
}

static bool align_jump(struct align *align)
{
	const struct history *history = align->history;

	for (uint64_t gap = 1; gap <= MOST_GAP; gap++)
		for (uint64_t more = 0; more <= gap; more++) {
			uint64_t i = align->i - more;
			uint64_t j = align->j - (gap - more);

			if (!align_agrees(align, i, j))
				continue;
			align->missed += gap;
			align->missed_bytes +=
				history_bytes(history, i, align->i);
			align->i = i;
			align->j = j;
			return true;
		}
	return false;
}

/* Goes on to the next pair of equal requests, and sets i and j to them. Returns
 * false where they have too little in common, or nothing is known. */
static bool align_next(struct align *align)
{
	const struct history *history = align->history;

	if (align->j < history->first + MOST_GAP + ANCHOR + 1)
		return false;
	align->steps++;
	if (history_token_at(history, align->i - 1) !=
		    history_token_at(history, align->j - 1) &&
	    (align->missed > align->equal * MOST_MISSED / 100 + MOST_MISSED ||
	     !align_jump(align)))
		return false;
	align->i--;
	align->j--;
	align->equal++;
	return true;
}

/* Notes which requests of the last two iterations have a partner, and returns
 * where the least lives. Sets *length to the distance to the same place an
 * iteration later. */
static uint64_t rough_cut(struct finder *finder, uint64_t lag, uint64_t one,
			  uint64_t two, uint64_t *length)
{
	struct history *history = &finder->history;
	uint64_t end = history->count, least = UINT64_MAX, cut = one;
	struct align align = {
		.history = history, .lag = lag, .i = end, .j = one};

	*length = lag;
	for (uint64_t at = two; at < end; at++)
		*history_notes(history, at) &= (uint8_t)~HISTORY_KEPT;
	while (align.i > two && align_next(&align)) {
		*history_notes(history, align.i) |= HISTORY_KEPT;
		*history_notes(history, align.j) |= HISTORY_KEPT;
		if (align.i < one || finder->told ||
		    history_level(history, align.j) >= least)
			continue;
		least = history_level(history, align.j);
		cut = align.j;
		*length = align.i - align.j;
	}
	return cut;
}

/* Whether it is worth the cost: there is enough to look at, and nothing better
 * in sight. */
static bool rough_may(const struct finder *finder, uint64_t lag, uint64_t need)
{
	const struct history *history = &finder->history;

	if (lag < LEAST_LAG || need + lag > history->count - history->first ||
	    !finder_affords(finder, 2 * need) ||
	    finder_runs_expects(finder, lag))
		return false;
	/* About as long as the period in force: it is the same one. */
	return !finder->locked ||
	       lag > finder->period.length + finder->period.length / 16;
}

static bool rough_accept(const struct finder *finder, const struct align *align,
			 uint64_t lag, uint64_t two)
{
	const struct history *history = &finder->history;
	uint64_t end = history->count, one = end - lag;

	/* By another way it may have come to the distance of an exact one. */
	if (finder_runs_expects(finder, align->i - align->j))
		return false;
	if (align->missed * 100 > MOST_MISSED * align->equal ||
	    align->missed_bytes > history_bytes(history, align->i, end) / 8)
		return false;
	if (!finder->told &&
	    (!finder_closes(finder, one - 1, end - 1, MOST_KEPT) ||
	     !finder_closes(finder, two - 1, one - 1, MOST_KEPT)))
		return false;
	return finder_gains(finder, lag, align->i, align->missed_bytes);
}

uint64_t finder_rough_try(struct finder *finder, uint64_t lag)
{
	const struct history *history = &finder->history;
	uint64_t end = history->count, one = end - lag, two = 0;
	uint64_t need = finder_need(finder, lag), cut, length, again;
	struct align align = {
		.history = history, .lag = lag, .i = end, .j = one};

	/* The one before the last is needed too, and some more for the case
	 * that the distance is not quite right. */
	if (need < lag + lag / 8 * 5)
		need = lag + lag / 8 * 5;
	if (!rough_may(finder, lag, need))
		return end + lag / 8;
	while (align.i > end - need && align_next(&align))
		if (!two && align.i <= one)
			two = align.j;
	finder->spent += align.steps;
	again = end + lag / 2 + align.steps;
	if (align.i > end - need || !two) {
		/* If it goes on as it does, it will be enough then. */
		uint64_t enough = align.i + need;

		return end - align.i > lag / 2 && enough < again ? enough
								 : again;
	}
	if (!rough_accept(finder, &align, lag, two))
		return again;
	cut = rough_cut(finder, lag, one, two, &length);
	finder->spent += 4 * lag;
	finder_propose(finder, cut, length, false);
	return 0;
}

/* The lag's highest bit and the three below it. */
static struct finder_rough *rough_slot(struct finder *finder, uint64_t lag)
{
	unsigned int high = 63 - (unsigned int)__builtin_clzll(lag);

	return &finder->rough[(high << 3 | (lag >> (high - 3) & 7)) %
			      FINDER_ROUGH];
}

/* Whether most suggestions of these distances are near this one. Loops inside
 * of an iteration lead to others, which differ by their lengths. */
static bool rough_vote(struct finder_rough *rough, uint64_t lag)
{
	uint64_t apart = lag > rough->lag ? lag - rough->lag : rough->lag - lag;

	if (apart <= NEAR + lag / 64) {
		rough->lag = lag;
		rough->votes++;
		return rough->votes >= LEAST_VOTES;
	}
	if (rough->votes)
		rough->votes--;
	else
		rough->lag = lag;
	return false;
}

void finder_rough_suggest(struct finder *finder, uint64_t lag)
{
	uint64_t end = finder->history.count;
	struct finder_rough *rough;

	if (lag < LEAST_LAG)
		return;
	rough = rough_slot(finder, lag);
	if (end - rough->last > 3 * lag || rough->first < finder->base)
		*rough = (struct finder_rough){
			.first = end, .next = end + lag, .lag = lag};
	rough->last = end;
	if (rough_vote(rough, lag) && end >= rough->next)
		rough->next = finder_rough_try(finder, lag);
}
