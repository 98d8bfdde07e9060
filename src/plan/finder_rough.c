/* Requests of which most are equal to those about one distance earlier, though
 * some come or go each time. Both stretches are read backwards side by side;
 * where they differ, the nearest places from which they agree again are looked
 * for. */
#include "plan/finder.h"

#include <string.h>

enum {
	LEAST_LAG = 32,
	LEAST_VOTES = 3,
	NEAR = 3,         /* requests; and a 64th of the distance besides */
	ANCHOR = 3,       /* equal requests after which both agree again */
	MOST_GAP = 24,    /* requests that may be missing at one place */
	MOST_MISSED = 15, /* percent; and that many requests besides */
	MOST_REFUSED = 6,
	MOST_KEPT = 16, /* that part of what an iteration asks for */
};

struct align {
	const struct history *history;
	uint64_t i, j; /* what comes before these is compared next */
	uint64_t equal;
	uint64_t missed;       /* requests before i that have no partner */
	uint64_t missed_bytes; /* of these */
	uint64_t steps;
};

static bool align_agrees(struct align *align, uint64_t i, uint64_t j)
{
	align->steps++;
	for (int k = 1; k <= (i + j + 2 >= align->i + align->j ? 2 : ANCHOR);
	     k++)
		if (history_token_at(align->history, i - k) !=
		    history_token_at(align->history, j - k))
			return false;
	return true;
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
			align->missed += more;
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
	uint64_t all = align->equal + align->missed;

	if (align->j < history->first + MOST_GAP + ANCHOR + 1)
		return false;
	align->steps++;
	if (history_token_at(history, align->i - 1) !=
		    history_token_at(history, align->j - 1) &&
	    (align->missed > all * MOST_MISSED / 100 + MOST_MISSED ||
	     !align_jump(align)))
		return false;
	align->i--;
	align->j--;
	align->equal++;
	return true;
}

/* Notes which requests of the last iterations have a partner, and returns where
 * the least lives. *lag is set to the distance there. */
static uint64_t rough_cut(struct finder *finder, uint64_t lag, uint64_t one,
			  uint64_t two, uint64_t *length)
{
	struct history *history = &finder->history;
	uint64_t end = history->count, least = UINT64_MAX, cut = one;
	struct align align = {.history = history, .i = end, .j = one};

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

bool finder_rough_try(struct finder *finder, uint64_t lag)
{
	struct history *history = &finder->history;
	uint64_t end = history->count, one = end - lag, two = 0;
	uint64_t need = finder_need(finder, lag), cut, length;
	struct align align = {.history = history, .i = end, .j = one};

	if (need < 2 * lag)
		need = 2 * lag;
	if (lag < LEAST_LAG || need + lag > end - history->first ||
	    !finder_affords(finder, 2 * need) ||
	    finder_runs_expects(finder, lag))
		return false;
	/* About as long as the period in force: it is the same one. */
	if (finder->locked &&
	    lag <= finder->period.length + finder->period.length / 16)
		return false;
	while (align.i > end - need && align_next(&align))
		if (!two && align.i <= one)
			two = align.j;
	finder->spent += align.steps;
	if (align.i > end - need || !two)
		return false;
	if (align.missed * 100 > MOST_MISSED * (align.equal + align.missed) ||
	    align.missed_bytes > history_bytes(history, align.i, end) / 8 ||
	    (!finder->told &&
	     (!finder_closes(finder, one - 1, end - 1, MOST_KEPT) ||
	      !finder_closes(finder, two - 1, one - 1, MOST_KEPT))))
		return false;
	if (!finder_gains(finder, lag, align.i, align.missed_bytes))
		return false;
	cut = rough_cut(finder, lag, one, two, &length);
	finder->spent += 4 * lag;
	finder_propose(finder, cut, length, false);
	return true;
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
	uint64_t end = finder->history.count, spent = finder->spent;
	struct finder_rough *rough;

	if (lag < LEAST_LAG)
		return;
	rough = rough_slot(finder, lag);
	if (end - rough->last > 3 * lag || rough->first < finder->base)
		*rough = (struct finder_rough){
			.first = end, .next = end + 2 * lag, .lag = lag};
	rough->last = end;
	if (!rough_vote(rough, lag) || end < rough->next ||
	    finder_rough_try(finder, lag))
		return;
	if (finder->spent - spent < lag / 2) {
		rough->next = end + lag / 8;
		return;
	}
	if (rough->refused < MOST_REFUSED)
		rough->refused++;
	rough->next = end + (lag << rough->refused) / 2;
}
