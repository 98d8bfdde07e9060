/* Requests that are equal, one by one, to those a fixed distance earlier. */
#include "plan/finder.h"

enum {
	LEAST_LAG = 32,   /* shorter periods are taken several times */
	LEAST_PAUSE = 16, /* requests between two looks at a run */
	LATELY = 4,       /* requests that show whether a run holds still */
	/* A layer of a network keeps some of what it asks for until its
	 * gradients are computed, and an iteration keeps nothing. Of that part
	 * a free may come a little earlier or later each time. */
	MOST_KEPT = 64,
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A layer of a network is a loop of its own, and so are the equal temporaries
 * of an optimizer. What tells an iteration from these is that it covers most of
 * what there is: a third of all buffers that were freed, as those that stay do
 * not repeat. A program that did something else for long before need not make
 * up for all of it: a run that is much longer than any that has ended will
 * do. */
uint64_t finder_need(const struct finder *finder, uint64_t lag)
{
	uint64_t freed = finder->history.freed - finder->base_freed;
	uint64_t need = freed / 3 > lag ? freed / 3 - lag : 0;
	uint64_t length = finder->period.length;

	if (finder->locked && lag > length + length / 16)
		return lag;
	/* What is no longer than the period in force may be a part of it, or
	 * come now and then in its place. */
	if (finder->locked)
		need = most(need, 2 * most(lag, length));
	else if (finder->told)
		return lag;
	if (finder->broken)
		need = least(need, 8 * finder->broken);
	return most(need, lag);
}

static void run_schedule(struct finder *finder, struct finder_run *run,
			 uint64_t due)
{
	run->due = due;
	finder->due = least(finder->due, due);
}

/* Where as little lives as at any time of an iteration: few buffers cross such
 * a cut. */
static uint64_t run_cut(const struct finder *finder, uint64_t begin,
			uint64_t end)
{
	const struct history *history = &finder->history;
	uint64_t cut = begin;

	for (; begin < end; begin++)
		if (history_level(history, begin) < history_level(history, cut))
			cut = begin;
	return cut;
}

/* Of two that are about as long, one that is exact is better. */
static bool run_replaces(const struct finder *finder, uint64_t lag)
{
	uint64_t length = finder->period.length;

	return finder->locked && !finder->period.exact &&
	       lag + length / 8 >= length && lag <= length + length / 8;
}

static bool run_accept(struct finder *finder, uint64_t lag)
{
	uint64_t end = finder->history.count;
	uint64_t two = end - 2 * lag;

	if (!finder->told &&
	    (two <= finder->history.first ||
	     !finder_closes(finder, end - 1 - lag, end - 1, MOST_KEPT) ||
	     !finder_closes(finder, two - 1, end - 1 - lag, MOST_KEPT)))
		return false;
	if (!run_replaces(finder, lag) &&
	    !finder_gains(finder, lag, end - lag, 0))
		return false;
	finder->spent += 3 * lag;
	finder_propose(finder,
		       finder->told ? two : run_cut(finder, two, end - lag),
		       lag, true);
	return true;
}

static void run_break(struct finder *finder, struct finder_run *run,
		      uint64_t differs)
{
	uint64_t end = finder->history.count;

	finder->broken = most(finder->broken, differs - run->from);
	run->from = end - history_match_back(&finder->history, end, run->lag,
					     end - differs);
	if (run->asked < run->seen) {
		run->lag = 0;
		return;
	}
	run->seen = end;
	run_schedule(finder, run,
		     most(run->from + run->lag, end + LEAST_PAUSE));
}

static void run_check(struct finder *finder, struct finder_run *run)
{
	const struct history *history = &finder->history;
	uint64_t end = history->count;
	uint64_t differs;

	if (run->from < history->first + run->lag)
		run->from = history->first + run->lag;
	if (run->seen < run->from)
		run->seen = run->from;
	differs = history_differs(history, run->seen, end, run->lag);
	finder->spent += end - run->seen;
	if (differs < end) {
		run_break(finder, run, differs);
		return;
	}
	run->seen = end;
	if (end - run->from >= finder_need(finder, run->lag) &&
	    run_accept(finder, run->lag))
		run->lag = 0;
	else
		run_schedule(finder, run,
			     most(run->from + run->lag,
				  end + most(run->lag / 4, LEAST_PAUSE)));
}

void finder_runs_check(struct finder *finder)
{
	for (int i = 0; i < FINDER_RUNS && !finder->hope.length; i++) {
		struct finder_run *run = &finder->runs[i];

		if (!run->lag)
			continue;
		if (run->due <= finder->history.count)
			run_check(finder, run);
		else
			finder->due = least(finder->due, run->due);
	}
}

static struct finder_run *run_find(struct finder *finder, uint64_t lag)
{
	for (int i = 0; i < FINDER_RUNS; i++)
		if (finder->runs[i].lag == lag)
			return &finder->runs[i];
	return NULL;
}

static bool run_holds(const struct finder *finder, const struct finder_run *run)
{
	return history_match_back(&finder->history, finder->history.count,
				  run->lag, LATELY) == LATELY;
}

/* A place for a run: that of none, else of one that holds no more, else of the
 * one that was not suggested for the longest time. */
static struct finder_run *run_slot(struct finder *finder)
{
	struct finder_run *oldest = NULL, *broken = NULL;

	for (int i = 0; i < FINDER_RUNS; i++) {
		struct finder_run *run = &finder->runs[i];
		struct finder_run **place = &oldest;

		if (!run->lag)
			return run;
		if (!run_holds(finder, run))
			place = &broken;
		if (!*place || run->asked < (*place)->asked)
			*place = run;
	}
	return broken ? broken : oldest;
}

void finder_runs_suggest(struct finder *finder, uint64_t lag)
{
	uint64_t end = finder->history.count, need, equal;
	struct finder_run *run;

	if (lag < LEAST_LAG)
		lag *= (LEAST_LAG + lag - 1) / lag;
	run = run_find(finder, lag);
	if (run) {
		run->asked = end;
		return;
	}
	need = finder_need(finder, lag);
	if (!finder_affords(finder, need))
		return;
	run = run_slot(finder);
	equal = history_match_back(&finder->history, end, lag, need);
	finder->spent += equal;
	run->lag = lag;
	run->from = end - equal;
	run->seen = end;
	run->asked = end;
	run_schedule(finder, run, most(run->from + lag, end + 1));
}

bool finder_runs_expects(const struct finder *finder, uint64_t lag)
{
	for (int i = 0; i < FINDER_RUNS; i++) {
		uint64_t other = finder->runs[i].lag;

		if (other && other + lag / 16 >= lag &&
		    other <= lag + lag / 16 &&
		    history_match_back(&finder->history, finder->history.count,
				       other, other / 2) == other / 2)
			return true;
	}
	return false;
}

/* The place of a mark at that serial, counted from the last one, or
 * FINDER_MARKS. */
static unsigned int mark_find(const struct finder *finder, uint64_t serial)
{
	unsigned int known = (unsigned int)least(finder->marked, FINDER_MARKS);

	for (unsigned int i = 0; i < known; i++) {
		uint64_t at =
			finder->marks[(finder->marked - 1 - i) % FINDER_MARKS];

		if (at == serial)
			return i;
	}
	return FINDER_MARKS;
}

bool finder_runs_marked(struct finder *finder)
{
	const struct history *history = &finder->history;
	unsigned int known = (unsigned int)least(finder->marked, FINDER_MARKS);
	uint64_t end = history->count, need, equal;

	for (unsigned int i = 1; i < known; i++) {
		uint64_t lag =
			end -
			finder->marks[(finder->marked - 1 - i) % FINDER_MARKS];

		if (!lag)
			continue;
		if (2 * lag > end - history->first ||
		    lag > finder_longest(finder) ||
		    !finder_affords(finder, lag))
			break;
		if (mark_find(finder, end - 2 * lag) == FINDER_MARKS)
			continue;
		need = finder_need(finder, lag);
		equal = history_match_back(history, end, lag, need);
		finder->spent += equal;
		if (equal >= need && run_accept(finder, lag))
			return true;
	}
	return false;
}
