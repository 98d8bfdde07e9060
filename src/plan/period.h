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
 * a period begins and ends at marks. */
void finder_mark(struct finder *finder);

/* The last period that was found. Its requests can be read until half as many
 * as finder_open was asked for have come after it was found. */
const struct period *finder_period(const struct finder *finder);
const struct history *finder_history(const struct finder *finder);

/* While a program does what the period foretells, nothing has to be fed. This
 * says, before anything is fed again, that `count` requests came as those of
 * the period do, from the one at `position` of it on. Their frees are foretold
 * as well, and never fed. Those of requests that were fed always are. */
void finder_skip(struct finder *finder, uint64_t position, uint64_t count);

/* Of requests that were skipped: the buffer of one has lived for so many
 * requests, and not for as long as was foretold. */
void finder_correct(struct finder *finder, uint64_t serial, uint32_t life);

/* The period as it came again from that serial on: all of its requests, which
 * are known, were equal to its own. What is skipped from now on comes as it did
 * there. */
struct period finder_again(struct finder *finder, uint64_t first);

/* How many requests came so far, or were skipped: the next one's serial. */
uint64_t finder_count(const struct finder *finder);

/* Drops the period, which does not hold any more, and begins anew. */
void finder_relearn(struct finder *finder);

/* For how many requests a buffer of the period lives. 0: it lives still, and so
 * do those that were asked for in its place an iteration before and after. */
uint32_t period_life(const struct history *history, const struct period *period,
		     uint64_t serial);

#endif
