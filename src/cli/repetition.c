#include "repetition.h"

#include <stdlib.h>
#include <string.h>

#include "plan/address_map.h"
#include "plan/period.h"
#include "rises.h"

/* EDGE: by so many requests the begin of an iteration is known, and its end, or
 * by all of a shorter one. */
enum {
	EDGE = 64,
	LEAST = 2,           /* requests of an iteration */
	REMEMBERS = 1 << 19, /* requests */
	DEVICES = UINT8_MAX + 1,
};

/* A request that came. */
struct come {
	uint64_t number, live; /* live: bytes before it */
};

struct repetition_finder {
	void (*take)(struct repetition_finder *finder,
		     const struct repetition_block *block);
	uint64_t counts[DEVICES]; /* of requests */
	unsigned int device;      /* that has most */
	bool fits;                /* there was memory */
	/* What repeats. */
	struct finder *periods;
	struct address_map serials;
	uint64_t known;  /* number of the period */
	uint64_t length; /* in requests; 0: none was found */
	bool exact;      /* each has the same requests, one by one */
	unsigned int edge;
	uint32_t begin[EDGE], end[EDGE]; /* tokens */
	/* Where it does: the last requests, and bytes that live. */
	uint32_t last[EDGE];
	struct come comes[EDGE]; /* a ring */
	uint64_t requests, live, next;
	/* The last iteration that has begun: with that request, and so many
	 * bytes; whether all its requests have come, and, once its blocks have
	 * gone, the number behind it. */
	uint64_t begun, begun_live, ended;
	bool whole;
	struct rises rises; /* where nothing repeats */
	struct repetition *found;
};

static void count(struct repetition_finder *finder,
		  const struct repetition_block *block)
{
	finder->counts[block->device] += block->comes;
}

/* Streams are left out: a program may make new ones for each iteration. */
static uint32_t token_of(const struct repetition_block *block)
{
	return history_token(block->size, 0);
}

/* Short periods are found several times in one. */
static uint64_t shortest(const struct history *history,
			 const struct period *period)
{
	uint64_t end = period->first + period->length;

	for (uint64_t lag = 1; period->exact && lag <= period->length / 2;
	     lag++)
		if (period->length % lag == 0 &&
		    history_differs(history, period->first + lag, end, lag) ==
			    end)
			return lag;
	return period->length;
}

/* Keeps how the last period begins and ends. */
static void period_keep(struct repetition_finder *finder)
{
	const struct period *period = finder_period(finder->periods);
	const struct history *history = finder_history(finder->periods);
	uint64_t length, first = period->first;

	if (period->number == finder->known)
		return;
	finder->known = period->number;
	length = shortest(history, period);
	if (length < LEAST || first < history->first)
		return;
	finder->length = length;
	finder->exact = period->exact;
	finder->edge = length < EDGE ? (unsigned int)length : EDGE;
	for (unsigned int i = 0; i < finder->edge; i++) {
		finder->begin[i] = history_token_at(history, first + i);
		finder->end[i] = history_token_at(
			history, first + length - finder->edge + i);
	}
}

/* The step that a block is, after which so many bytes live. */
static struct rises_step step_of(struct repetition_finder *finder,
				 const struct repetition_block *block)
{
	struct rises_step step = {.number = block->number,
				  .before = finder->live,
				  .comes = block->comes};

	finder->live += block->comes ? block->size : -block->size;
	step.after = finder->live;
	return step;
}

static void learn(struct repetition_finder *finder,
		  const struct repetition_block *block)
{
	struct address_map *serials = &finder->serials;
	const uint64_t *serial;
	struct rises_step step;

	if (!finder->fits || block->device != finder->device)
		return;
	step = step_of(finder, block);
	rises_measure(&finder->rises, &step);
	if (!block->comes) {
		serial = address_map_find(serials, block->key);
		if (serial)
			finder_free(finder->periods, *serial);
		address_map_remove(serials, block->key);
		return;
	}
	finder->fits = address_map_prepare(serials, serials->count + 1);
	if (!finder->fits)
		return;
	address_map_set(
		serials, block->key,
		finder_alloc(finder->periods, token_of(block), block->size));
	period_keep(finder);
}

static void border_add(struct repetition_finder *finder, uint64_t number)
{
	struct repetition *found = finder->found;

	if (found->count == found->room) {
		size_t room = found->room ? 2 * found->room : 64;
		uint64_t *more = realloc(found->borders, room * sizeof(*more));

		finder->fits &= more != NULL;
		if (!more)
			return;
		found->borders = more;
		found->room = room;
	}
	found->borders[found->count++] = number;
}

/* Whether these are the last requests. */
static bool are_last(const struct repetition_finder *finder,
		     const uint32_t *tokens)
{
	return !memcmp(finder->last + EDGE - finder->edge, tokens,
		       finder->edge * sizeof(*tokens));
}

/* Whether so many requests may be an iteration. */
static bool may_end(const struct repetition_finder *finder, uint64_t requests)
{
	return finder->exact ? requests == finder->length
			     : requests >= finder->length / 4 * 3;
}

/* Whether the next iteration may begin so many requests after the last one:
 * between them may be others, as of an evaluation. */
static bool is_long(const struct repetition_finder *finder, uint64_t requests)
{
	return requests >=
	       (finder->exact ? finder->length : finder->length / 4 * 3);
}

static void look_alloc(struct repetition_finder *finder,
		       const struct repetition_block *block)
{
	uint32_t *last = finder->last;
	uint64_t first;
	const struct come *come;

	if (finder->whole && !finder->ended)
		finder->ended = block->number;
	memmove(last, last + 1, (EDGE - 1) * sizeof(*last));
	last[EDGE - 1] = token_of(block);
	finder->comes[finder->requests++ % EDGE] =
		(struct come){block->number, finder->live};
	finder->live += block->size;
	if (finder->requests < finder->edge)
		return;
	first = finder->requests - finder->edge;
	if (are_last(finder, finder->begin) &&
	    (!finder->found->count || is_long(finder, first - finder->begun))) {
		come = &finder->comes[first % EDGE];
		border_add(finder, come->number);
		finder->begun = first;
		finder->begun_live = come->live;
		finder->whole = false;
	}
	if (finder->found->count && are_last(finder, finder->end) &&
	    may_end(finder, finder->requests - finder->begun)) {
		finder->whole = true;
		finder->ended = 0;
	}
}

/* An iteration ends when as little lives as before it. */
static void look(struct repetition_finder *finder,
		 const struct repetition_block *block)
{
	if (block->device != finder->device)
		return;
	finder->next = block->number + 1;
	if (block->comes) {
		look_alloc(finder, block);
		return;
	}
	finder->live -= block->size;
	if (finder->whole && !finder->ended &&
	    finder->live <= finder->begun_live)
		finder->ended = block->number + 1;
}

static void look_rises(struct repetition_finder *finder,
		       const struct repetition_block *block)
{
	struct rises_step step;

	if (block->device != finder->device)
		return;
	step = step_of(finder, block);
	rises_look(&finder->rises, &step);
}

static void rises_take(struct repetition_finder *finder)
{
	struct repetition *found = finder->found;
	const struct rises *rises = &finder->rises;
	size_t count = rises_choose(&finder->rises);

	for (size_t i = 0; i < count; i++)
		border_add(finder, rises->all[i].number);
	if (!count)
		return;
	border_add(finder, rises->all[count - 1].end);
	found->requests = rises->usual;
	found->device = finder->device;
}

static void busiest_choose(struct repetition_finder *finder)
{
	for (unsigned int i = 1; i < DEVICES; i++)
		if (finder->counts[i] > finder->counts[finder->device])
			finder->device = i;
}

/* What begins last and is not whole is no iteration, but ends the one before.
 */
static void look_end(struct repetition_finder *finder)
{
	struct repetition *found = finder->found;

	if (finder->whole)
		border_add(finder,
			   finder->ended ? finder->ended : finder->next);
	if (repetition_iterations(found) < 2)
		found->count = 0;
	found->requests = finder->length;
	found->device = finder->device;
}

static bool find(struct repetition_finder *finder,
		 bool (*play)(void *argument, struct repetition_finder *finder),
		 void *argument)
{
	finder->take = count;
	if (!play(argument, finder))
		return false;
	busiest_choose(finder);
	finder->take = learn;
	finder->periods = finder_open(REMEMBERS);
	finder->fits = finder->periods;
	rises_begin(&finder->rises, finder->counts[finder->device]);
	if (!finder->fits || !play(argument, finder) || !finder->fits)
		return false;
	finder->live = 0;
	finder->take = finder->length ? look : look_rises;
	if (!play(argument, finder))
		return false;
	if (finder->length)
		look_end(finder);
	else
		rises_take(finder);
	return finder->fits;
}

bool repetition_find(struct repetition *found,
		     bool (*play)(void *argument,
				  struct repetition_finder *finder),
		     void *argument)
{
	struct repetition_finder *finder = calloc(1, sizeof(*finder));
	bool good;

	*found = (struct repetition){0};
	if (!finder)
		return false;
	finder->found = found;
	good = find(finder, play, argument);
	finder_close(finder->periods);
	address_map_close(&finder->serials);
	rises_end(&finder->rises);
	free(finder);
	if (!good)
		repetition_release(found);
	return good;
}

void repetition_feed(struct repetition_finder *finder,
		     const struct repetition_block *block)
{
	finder->take(finder, block);
}

void repetition_release(struct repetition *found)
{
	free(found->borders);
	*found = (struct repetition){0};
}
