#include "iterations.h"

#include <stdlib.h>
#include <string.h>

/* PERIOD_LEAST: steps of the shortest iteration. ENDS: places where one is
 * looked for to end; a program does other things at its end. */
enum { PERIOD_LEAST = 4, ENDS = 8, PART = 3 };

struct finder {
	const struct script *script;
	uint64_t *words;   /* what each step is, whatever its slot */
	uint64_t *live;    /* bytes before each step */
	uint32_t *matches; /* see matches_find */
	size_t *begun;     /* by slot: the step of its last request */
};

static void words_fill(struct finder *finder)
{
	const struct script *script = finder->script;
	uint64_t live = 0;

	for (size_t i = 0; i < script->count; i++) {
		const struct script_step *step = &script->steps[i];
		bool comes =
			step->kind == SCRIPT_ALLOC || step->kind == SCRIPT_TAKE;
		size_t *begun = &finder->begun[step->slot];

		finder->live[i] = live;
		if (comes) {
			live += step->bytes;
			*begun = i;
		} else {
			live -= script->steps[*begun].bytes;
		}
		/* A free is known by how long ago the request was. */
		finder->words[i] = (comes ? step->bytes : i - *begun) << 8 |
				   (uint64_t)step->kind << 5 | step->device;
	}
}

/* For each distance, how many of the steps that end at `end` are as those that
 * are so many steps before: the Z-function (Gusfield 1997) of the steps from
 * the last one to the first one. */
static void matches_find(struct finder *finder, size_t end)
{
	const uint64_t *last = finder->words + end - 1;
	size_t left = 0, right = 0;

	for (size_t i = 1; i < end; i++) {
		size_t match = 0;

		if (i < right) {
			match = finder->matches[i - left];
			match = match < right - i ? match : right - i;
		}
		while (i + match < end &&
		       last[-(ptrdiff_t)match] == last[-(ptrdiff_t)(i + match)])
			match++;
		finder->matches[i] = (uint32_t)match;
		if (i + match > right) {
			left = i;
			right = i + match;
		}
	}
}

/* The shortest period of a part of the steps that is long enough, and ends at
 * `end`; 0: there is none. */
static size_t period_of(struct finder *finder, size_t end)
{
	size_t least = finder->script->count / PART;

	matches_find(finder, end);
	for (size_t i = PERIOD_LEAST; i <= end / 2; i++)
		if (finder->matches[i] >= i && finder->matches[i] + i >= least)
			return i;
	return 0;
}

/* The step of a period that begins at `from` before which the least lives. */
static size_t least_live(const struct finder *finder, size_t from,
			 size_t period)
{
	size_t best = from;

	for (size_t i = from; i < from + period; i++)
		if (finder->live[i] < finder->live[best])
			best = i;
	return best;
}

static bool marks_put(struct script *script, size_t from, size_t until,
		      size_t period)
{
	struct script marked = *script;
	bool fits = true;

	marked.steps = NULL;
	marked.count = marked.room = 0;
	marked.requests = 0;
	for (size_t i = 0; fits && i <= script->count; i++) {
		if (i >= from && i <= until && (i - from) % period == 0)
			fits = script_add(
				&marked,
				(struct script_step){.kind = SCRIPT_MARK});
		if (i < script->count)
			fits = fits && script_add(&marked, script->steps[i]);
	}
	if (!fits) {
		free(marked.steps);
		return false;
	}
	free(script->steps);
	*script = marked;
	script->marks_are_found = true;
	return true;
}

/* Looks for a period, and puts marks. */
static bool find(struct finder *finder, struct script *script)
{
	size_t end = script->count, period = 0, from, until;

	words_fill(finder);
	while (end && script->steps[end - 1].kind != SCRIPT_ALLOC)
		end--;
	for (size_t last = end, i = 0; !period && i < ENDS; i++) {
		end = last - last * i / (2 * ENDS);
		period = period_of(finder, end);
	}
	if (!period)
		return true;
	from = end - period - finder->matches[period];
	for (until = end;
	     until < script->count &&
	     finder->words[until] == finder->words[until - period];)
		until++;
	return marks_put(script, least_live(finder, from, period), until,
			 period);
}

bool iterations_find(struct script *script)
{
	struct finder finder = {.script = script};
	size_t count = script->count;
	bool fits;

	if (script->marks || count > UINT32_MAX)
		return true;
	finder.words = malloc(count * sizeof(*finder.words));
	finder.live = malloc(count * sizeof(*finder.live));
	finder.matches = calloc(count, sizeof(*finder.matches));
	finder.begun = calloc(script->slots, sizeof(*finder.begun));
	fits = finder.words && finder.live && finder.matches && finder.begun &&
	       find(&finder, script);
	free(finder.words);
	free(finder.live);
	free(finder.matches);
	free(finder.begun);
	return fits;
}
