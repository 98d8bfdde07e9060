#include "plan/fit.h"

#include <stdlib.h>
#include <string.h>

#include "plan/sort.h"

enum { LISTS_MOST = 256, LEAST_HALF = 8 };

/* The lists of [from, to), which does not cross the cut of a circle. */
static uint32_t first_list(const struct fit *fit, uint32_t from)
{
	return from < 2 * fit->half ? 1 : from / fit->half;
}

static uint32_t last_list(const struct fit *fit, uint32_t to)
{
	return (to - 1) / fit->half + 1;
}

/* Calls a function for all lists of a buffer but the first. */
static void for_lists(struct fit *fit, uint32_t from, uint32_t to,
		      void (*call)(struct fit *fit, uint32_t list,
				   const struct fit_placed *placed),
		      const struct fit_placed *placed)
{
	uint32_t sections = fit->shape->sections;
	uint32_t end = to < sections ? to : sections, last = 0;

	if (to > sections) {
		last = last_list(fit, to - sections);
		for (uint32_t list = 1; list <= last; list++)
			call(fit, list, placed);
	}
	for (uint32_t list = first_list(fit, from); list <= last_list(fit, end);
	     list++)
		if (list > last)
			call(fit, list, placed);
}

static void count_one(struct fit *fit, uint32_t list,
		      const struct fit_placed *placed)
{
	(void)placed;
	fit->starts[list + 1]++;
}

/* So that nine of ten lives are within one stretch, and lives are in some four
 * lists on average. False: no memory. */
static bool choose_half(struct fit *fit)
{
	const struct shape *shape = fit->shape;
	size_t count = shape->count;
	struct sort_entry *lives = malloc(2 * count * sizeof *lives);
	uint64_t half, sum = 0;

	if (!lives)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t life = shape->to[i] - shape->from[i];

		lives[i] = (struct sort_entry){life, i};
		sum += life;
	}
	sort_entries(lives, lives + count, count);
	half = lives[count * 9 / 10].key;
	free(lives);
	if (half < sum / count / 2)
		half = sum / count / 2;
	if (half < shape->sections / (LISTS_MOST - 2) + 1)
		half = shape->sections / (LISTS_MOST - 2) + 1;
	fit->half = half > LEAST_HALF ? (uint32_t)half : LEAST_HALF;
	fit->lists = last_list(fit, shape->sections) + 1;
	return true;
}

bool fit_open(struct fit *fit, const struct shape *shape)
{
	size_t count = shape->count;

	*fit = (struct fit){.shape = shape};
	if (!choose_half(fit))
		return false;
	fit->starts = calloc(fit->lists + 1, sizeof *fit->starts);
	fit->counts = calloc(fit->lists, sizeof *fit->counts);
	fit->order = malloc(count * sizeof *fit->order);
	if (!fit->starts || !fit->counts || !fit->order)
		goto no_memory;
	fit->starts[1] = count;
	for (size_t i = 0; i < count; i++)
		for_lists(fit, shape->from[i], shape->to[i], count_one, NULL);
	for (uint32_t list = 1; list <= fit->lists; list++)
		fit->starts[list] += fit->starts[list - 1];
	fit->placed = malloc(fit->starts[fit->lists] * sizeof *fit->placed);
	if (fit->placed)
		return true;
no_memory:
	fit_close(fit);
	return false;
}

void fit_close(struct fit *fit)
{
	free(fit->starts);
	free(fit->counts);
	free(fit->order);
	free(fit->placed);
}

/* Whether it lives with one that lives in [from, to). Around is how many
 * sections a circle has; 0: there is none. */
static bool lives_with(const struct fit_placed *placed, uint32_t from,
		       uint32_t to, uint32_t around)
{
	if (placed->from < to && from < placed->to)
		return true;
	return around &&
	       (placed->from + around < to || from + around < placed->to);
}

/* The shortest list that has all that live in [from, to). */
static uint32_t list_of(const struct fit *fit, uint32_t from, uint32_t to)
{
	if (to > fit->shape->sections || to - from > fit->half)
		return 0;
	/* List number n begins after n - 1 halves. */
	return from / fit->half + 1;
}

static int64_t find_offset(const struct fit *fit, uint32_t buffer,
			   enum fit_rule rule)
{
	const struct shape *shape = fit->shape;
	uint32_t from = shape->from[buffer], to = shape->to[buffer];
	uint32_t around = shape->circle ? shape->sections : 0;
	uint32_t list = list_of(fit, from, to);
	const struct fit_placed *placed = fit->placed + fit->starts[list];
	const struct fit_placed *end = placed + fit->counts[list];
	int64_t size = shape->size[buffer], align = shape->align[buffer];
	int64_t top = 0, best = -1, least = INT64_MAX;

	for (; placed < end; placed++) {
		int64_t gap;

		if (placed->top <= top || !lives_with(placed, from, to, around))
			continue;
		gap = placed->offset - top;
		if (gap >= size && gap < least) {
			if (rule == FIT_FIRST)
				return top;
			best = top;
			least = gap;
		}
		top = align_up(placed->top, align);
	}
	return best < 0 ? top : best;
}

static void insert(struct fit *fit, uint32_t list,
		   const struct fit_placed *made)
{
	struct fit_placed *placed = fit->placed + fit->starts[list];
	size_t low = 0, high = fit->counts[list]++, count = high;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (placed[middle].offset <= made->offset)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(placed + low + 1, placed + low, (count - low) * sizeof *placed);
	placed[low] = *made;
}

static void place(struct fit *fit, uint32_t buffer, int64_t offset)
{
	const struct shape *shape = fit->shape;
	struct fit_placed made = {offset, offset + shape->size[buffer],
				  shape->from[buffer], shape->to[buffer]};

	insert(fit, 0, &made);
	for_lists(fit, made.from, made.to, insert, &made);
}

int64_t fit_run(struct fit *fit, const uint32_t *ranks, enum fit_rule rule,
		int64_t limit, int64_t *offsets)
{
	const struct shape *shape = fit->shape;
	int64_t peak = 0;

	for (uint32_t i = 0; i < shape->count; i++)
		fit->order[ranks[i]] = i;
	memset(fit->counts, 0, fit->lists * sizeof *fit->counts);
	for (uint32_t rank = 0; rank < shape->count; rank++) {
		uint32_t buffer = fit->order[rank];
		int64_t offset = find_offset(fit, buffer, rule);
		int64_t top = offset + shape->size[buffer];

		if (top >= limit)
			return INT64_MAX;
		if (top > peak)
			peak = top;
		offsets[buffer] = offset;
		place(fit, buffer, offset);
	}
	return peak;
}
