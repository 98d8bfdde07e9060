#include "plan/finder.h"

#include <stdlib.h>

enum {
	LEAST_REQUESTS = 1024,
	WORK = 16,         /* requests looked at again, for each that comes */
	FIRST_WORK = 4096, /* and so many before any comes */
	LONG_LIFE = 3,     /* iterations; what lives longer is not waited for */
	LATELY = 16,       /* requests that show what a program does now */
	AGAIN = 64, /* requests after which a distance is suggested again */
};

struct finder *finder_open(uint64_t requests)
{
	struct finder *finder = calloc(1, sizeof(*finder));
	uint64_t grams;

	if (!finder)
		return NULL;
	if (requests < LEAST_REQUESTS)
		requests = LEAST_REQUESTS;
	if (!history_open(&finder->history, requests)) {
		free(finder);
		return NULL;
	}
	grams = (finder->history.mask + 1) / 4;
	finder->gram_shift = 64 - (unsigned int)__builtin_ctzll(grams);
	finder->grams = calloc(grams, sizeof(*finder->grams));
	finder->due = finder->history.mask + 1;
	if (finder->grams)
		return finder;
	finder_close(finder);
	return NULL;
}

void finder_close(struct finder *finder)
{
	if (!finder)
		return;
	history_close(&finder->history);
	free(finder->grams);
	free(finder);
}

bool finder_affords(const struct finder *finder, uint64_t requests)
{
	return finder->spent + requests <=
	       WORK * finder->history.count + FIRST_WORK;
}

uint64_t finder_longest(const struct finder *finder)
{
	return (finder->history.mask + 1) / 8;
}

bool finder_closes(const struct finder *finder, uint64_t begin, uint64_t end,
		   unsigned int part)
{
	const struct history *history = &finder->history;
	int64_t more = (int64_t)(history_level(history, end) -
				 history_level(history, begin));

	return (uint64_t)llabs(more) <=
	       history_bytes(history, begin, end) / part;
}

static uint64_t tokens_sum(const struct history *history, uint64_t begin,
			   uint64_t end)
{
	uint64_t sum = 0;

	for (; begin < end; begin++)
		sum += history_token_at(history, begin);
	return sum;
}

bool finder_gains(const struct finder *finder, uint64_t length, uint64_t begin,
		  uint64_t missed)
{
	const struct history *history = &finder->history;
	uint64_t end = history->count, uncovered = 0, bytes;

	if (!finder->locked)
		return true;
	if (length == finder->period.length)
		return tokens_sum(history, end - length, end) != finder->sum;
	/* Nothing was foretold before. */
	if (begin < finder->period.found)
		begin = finder->period.found;
	bytes = history_bytes(history, begin, end);
	for (uint64_t at = begin; at < end; at++)
		if (!(*history_notes(history, at) & HISTORY_COVERED))
			uncovered += history_size(history, at);
	/* A shorter one may be a part of it, or come only now and then. */
	if (length <= finder->period.length + finder->period.length / 16 &&
	    uncovered < bytes / 8)
		return false;
	return uncovered > bytes / 256 && uncovered / 3 >= missed;
}

uint32_t period_life(const struct history *history, const struct period *period,
		     uint64_t serial)
{
	uint32_t life = history_life(history, serial);
	uint32_t token = history_token_at(history, serial);
	uint64_t twin = serial + period->length;

	if (!period->exact)
		return life;
	if (twin < history->count && history_token_at(history, twin) == token &&
	    history_life(history, twin) > life)
		return history_life(history, twin);
	twin = serial - period->length;
	if (!life && serial >= history->first + period->length &&
	    history_token_at(history, twin) == token)
		return history_life(history, twin);
	return life;
}

static void finder_lock(struct finder *finder)
{
	finder->period = finder->hope;
	finder->period.number = finder_number(finder);
	finder->period.found = finder->history.count;
	finder->hope.length = 0;
	finder->locked = true;
	finder->sum = tokens_sum(&finder->history, finder->period.first,
				 finder->period.first + finder->period.length);
	finder->cover_lag = finder->period.length;
	finder->base = finder->history.count;
	finder->base_freed = finder->history.freed;
	finder->rest = 0;
}

/* Some buffers outlive the iteration, such as results that a program keeps
 * until it has the next ones. Their lives are waited for. */
static void finder_settle(struct finder *finder)
{
	const struct history *history = &finder->history;
	const struct period *hope = &finder->hope;
	uint64_t end = hope->first + hope->length;

	for (; finder->hope_at < end; finder->hope_at++) {
		uint64_t at = finder->hope_at;

		if (*history_notes(history, at) & HISTORY_KEPT &&
		    !period_life(history, hope, at) &&
		    history->count - at < LONG_LIFE * hope->length) {
			finder->hope_due =
				history->count + hope->length / 8 + 1;
			return;
		}
	}
	/* By now the program may do something else. */
	if (hope->exact && history_match_back(history, history->count,
					      hope->length, LATELY) < LATELY)
		finder->hope.length = 0;
	else
		finder_lock(finder);
}

void finder_propose(struct finder *finder, uint64_t first, uint64_t length,
		    bool exact)
{
	finder->hope = (struct period){
		.first = first, .length = length, .exact = exact};
	finder->hope_at = first;
	if (exact)
		history_keep(&finder->history, first, length);
	finder_settle(finder);
	if (finder->hope.length && finder->due > finder->hope_due)
		finder->due = finder->hope_due;
}

/* A program whose requests do not repeat is listened to for as long as the
 * history reaches back, then not for as long, then again, then not for twice as
 * long, and so on. */
static void finder_tire(struct finder *finder)
{
	uint64_t count = finder->history.count;

	if (finder->locked || finder->hope.length ||
	    count - finder->base <= finder->history.mask)
		return;
	finder->rest =
		finder->rest ? finder->rest * 2 : finder->history.mask + 1;
	finder->wake = count + finder->rest;
}

static void finder_restart(struct finder *finder)
{
	for (int i = 0; i < FINDER_RUNS; i++)
		finder->runs[i].lag = 0;
	history_restart(&finder->history);
	finder->hope.length = 0;
	finder->base = finder->history.count;
	finder->base_freed = finder->history.freed;
	finder->spent = WORK * finder->history.count;
	finder->due = finder->base + finder->history.mask + 1;
}

static void finder_check(struct finder *finder)
{
	uint64_t tired = finder->base + finder->history.mask + 1;

	finder->due = UINT64_MAX;
	if (!finder->told)
		finder_runs_check(finder);
	if (finder->hope.length && finder->history.count >= finder->hope_due)
		finder_settle(finder);
	if (finder->hope.length) {
		if (finder->due > finder->hope_due)
			finder->due = finder->hope_due;
		return;
	}
	finder_tire(finder);
	if (!finder->locked && finder->due > tired)
		finder->due = tired;
}

/* Another distance than the last one at which the last requests came before. */
static void finder_suggest(struct finder *finder, uint64_t lag)
{
	const struct history *history = &finder->history;
	uint64_t length = finder->period.length;

	finder->lag = lag;
	if (lag > finder_longest(finder))
		return;
	if (finder->locked && lag - (length - length / 16) <= length / 8 &&
	    !(*history_notes(history, history->count - 1) & HISTORY_COVERED))
		finder->cover_lag = lag;
	if (finder->told)
		return;
	finder_runs_suggest(finder, lag);
	if (!finder->hope.length)
		finder_rough_suggest(finder, lag);
}

static void finder_look(struct finder *finder, uint32_t token, uint64_t serial)
{
	struct finder_gram *gram;
	uint64_t hash, back;
	uint32_t tag, lag;

	/* After as many more requests as FINDER_GRAM, this one's bits have left
	 * the word. */
	finder->gram = (finder->gram << (64 / FINDER_GRAM)) +
		       token * UINT64_C(0x9e3779b97f4a7c15);
	hash = finder->gram * UINT64_C(0xd6e8feb86659fd93);
	gram = &finder->grams[hash >> finder->gram_shift];
	tag = (uint32_t)(hash >> 16);
	lag = (uint32_t)serial - gram->serial;
	back = serial - finder->history.first;
	if (gram->tag == tag && lag != finder->lag && lag &&
	    lag + FINDER_GRAM <= back)
		finder_suggest(finder, lag);
	gram->tag = tag;
	gram->serial = (uint32_t)serial;
}

/* Notes whether the request came as it had come an iteration before. After one
 * that came or went, the distance is another. */
static void finder_cover(struct finder *finder, uint32_t token, uint64_t serial)
{
	static const int shifts[] = {0, 1, -1, 2, -2};
	const struct history *history = &finder->history;

	for (unsigned int i = 0; i < sizeof(shifts) / sizeof(*shifts); i++) {
		uint64_t lag = finder->cover_lag + (uint64_t)shifts[i];

		if (!lag || lag > serial - history->first ||
		    history_token_at(history, serial - lag) != token)
			continue;
		finder->cover_lag = lag;
		*history_notes(history, serial) |= HISTORY_COVERED;
		return;
	}
}

/* Whether it takes no notice of a request, which is counted then. */
static bool finder_rests(struct finder *finder)
{
	if (finder->history.count >= finder->wake)
		return false;
	if (++finder->history.count == finder->wake)
		finder_restart(finder);
	return true;
}

/* After the last mark come more requests than an iteration has: whoever marked
 * does so no more, or did so by mistake. */
static void marks_age(struct finder *finder)
{
	uint64_t last;

	if (!finder->told)
		return;
	last = finder->marks[(finder->marked - 1) % FINDER_MARKS];
	if (finder->history.count - last <= finder_longest(finder))
		return;
	finder->told = false;
	finder->marked = 0;
}

uint64_t finder_alloc(struct finder *finder, uint32_t token, uint64_t size)
{
	struct history *history = &finder->history;
	uint64_t serial;

	if (finder_rests(finder))
		return history->count - 1;
	serial = history_alloc(history, token, size);
	if (finder->locked)
		finder_cover(finder, token, serial);
	if (serial % AGAIN == 0) {
		finder->lag = 0;
		marks_age(finder);
	}
	finder_look(finder, token, serial);
	if (history->count >= finder->due)
		finder_check(finder);
	return serial;
}

void finder_free(struct finder *finder, uint64_t serial)
{
	if (finder->history.count >= finder->wake)
		history_free(&finder->history, serial);
}

void finder_mark(struct finder *finder)
{
	struct history *history = &finder->history;

	if (history->count < finder->wake)
		return;
	finder->told = true;
	finder->marks[finder->marked++ % FINDER_MARKS] = history->count;
	if (finder->hope.length || finder->marked < 2 ||
	    finder_runs_marked(finder) || finder->locked)
		return;
	finder_rough_try(
		finder,
		history->count -
			finder->marks[(finder->marked - 2) % FINDER_MARKS]);
}

const struct period *finder_period(const struct finder *finder)
{
	return &finder->period;
}

const struct history *finder_history(const struct finder *finder)
{
	return &finder->history;
}

void finder_foretold(struct finder *finder, uint64_t number, uint32_t token,
		     uint64_t size, uint32_t life, uint64_t level)
{
	struct history *history = &finder->history;
	uint64_t serial;

	if (finder_rests(finder))
		return;
	serial = history_foretold(history, token, size, life, level);
	if (finder->locked && number == finder->period.number)
		*history_notes(history, serial) |= HISTORY_COVERED;
	if (finder->hope.first < history->first)
		finder->hope.length = 0;
}

void finder_correct(struct finder *finder, uint64_t serial, uint32_t life)
{
	if (finder->history.count >= finder->wake)
		history_correct(&finder->history, serial, life);
}

void finder_live_on(struct finder *finder, uint64_t serial)
{
	if (finder->history.count >= finder->wake)
		history_live_on(&finder->history, serial);
}

uint64_t finder_number(struct finder *finder)
{
	return ++finder->numbers;
}

uint64_t finder_count(const struct finder *finder)
{
	return finder->history.count;
}

void finder_relearn(struct finder *finder)
{
	finder->locked = false;
	finder->hope.length = 0;
	finder->base = finder->history.count;
	finder->base_freed = finder->history.freed;
	finder->broken = 0;
	finder->due = finder->base + 1;
}
