/* Finds out which requests a program makes again and again: the period of its
 * iterations. It is fed with each request and each free, and may be told
 * besides where iterations begin.
 *
 * A period is found when its requests came twice in a row, and as much lived
 * before as after, once it is known when the buffers end that outlive it. Of
 * periods within periods, the one counts that covers most of what the program
 * does. While one is in force, a longer one replaces it as soon as it repeats
 * and foretells more bytes.
 *
 * It makes no thread and takes no lock; whoever feeds it sees to that only one
 * thread does. A request costs the same whatever came before, but for scans of
 * the history, whose cost is bounded by the number of requests. Nothing is
 * allocated after finder_open. */
#ifndef MNM_PLAN_PERIOD_H
#define MNM_PLAN_PERIOD_H

#include "plan/history.h"

/* The requests of [first, first + length) are one iteration. */
struct period {
	uint64_t number; /* of the periods found, from 1; 0: none yet */
	uint64_t first;
	uint64_t length;
	/* Whether the requests before or after it were the same, one by one.
	 * Else only most of them were, and those that were not do not have
	 * HISTORY_KEPT. */
	bool exact;
	uint64_t found; /* how many requests had come when it was found */
};

struct finder;

/* Remembers at least `requests` requests. Finds periods of up to an eighth of
 * them. Returns NULL if there is no memory. */
struct finder *finder_open(uint64_t requests);
void finder_close(struct finder *finder);

/* Takes note of a request, and returns its serial. */
uint64_t finder_alloc(struct finder *finder, uint32_t token, uint64_t size);
void finder_free(struct finder *finder, uint64_t serial);

/* Says that an iteration begins with the next request. From the first mark on,
 * a period begins and ends at marks, unless none comes for more requests than
 * the longest period has. */
void finder_mark(struct finder *finder);

/* The last period that was found. Its requests can be read until half as many
 * as finder_open was asked for have come after it was found. */
const struct period *finder_period(const struct finder *finder);
const struct history *finder_history(const struct finder *finder);

/* What a program does as the plan of some period foretells needs not be fed as
 * it comes. This says later on, in order and before anything is fed again, that
 * one more such request came; see history_foretold. */
void finder_foretold(struct finder *finder, uint64_t number, uint32_t token,
		     uint64_t size, uint32_t life, uint64_t level);

/* Of these requests: the buffer of one has lived for so many requests, and not
 * for as long as was foretold. The second: it lives, and its free will be
 * fed. */
void finder_correct(struct finder *finder, uint64_t serial, uint32_t life);
void finder_live_on(struct finder *finder, uint64_t serial);

/* A number for a period that is found in another way. */
uint64_t finder_number(struct finder *finder);

/* How many requests came so far, foretold ones too: the next one's serial. */
uint64_t finder_count(const struct finder *finder);

/* Drops the period, which does not hold any more, and begins anew. */
void finder_relearn(struct finder *finder);

/* For how many requests a buffer of the period lives. 0: it lives still, and so
 * do those that were asked for in its place an iteration before and after. */
uint32_t period_life(const struct history *history, const struct period *period,
		     uint64_t serial);

#endif
