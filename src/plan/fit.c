#include "plan/fit.h"

#include <stdlib.h>
#include <string.h>

bool fit_open(struct fit *fit, const struct shape *shape)
{
	fit->shape = shape;
	fit->placed = malloc(shape->count * sizeof *fit->placed);
	fit->order = malloc(shape->count * sizeof *fit->order);
	if (fit->placed && fit->order)
		return true;
	fit_close(fit);
	return false;
}

void fit_close(struct fit *fit)
{
	free(fit->placed);
	free(fit->order);
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

static int64_t find_offset(const struct fit *fit, size_t count, uint32_t buffer,
			   enum fit_rule rule)
{
	const struct shape *shape = fit->shape;
	uint32_t from = shape->from[buffer], to = shape->to[buffer];
	uint32_t around = shape->circle ? shape->sections : 0;
	int64_t size = shape->size[buffer], align = shape->align[buffer];
	int64_t top = 0, best = -1, least = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct fit_placed *placed = &fit->placed[i];
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

static void insert(struct fit *fit, size_t count, struct fit_placed made)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (fit->placed[middle].offset <= made.offset)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(fit->placed + low + 1, fit->placed + low,
		(count - low) * sizeof *fit->placed);
	fit->placed[low] = made;
}

int64_t fit_run(struct fit *fit, const uint32_t *ranks, enum fit_rule rule,
		int64_t limit, int64_t *offsets)
{
	const struct shape *shape = fit->shape;
	int64_t peak = 0;

	for (uint32_t i = 0; i < shape->count; i++)
		fit->order[ranks[i]] = i;
	for (size_t i = 0; i < shape->count; i++) {
		uint32_t buffer = fit->order[i];
		int64_t offset = find_offset(fit, i, buffer, rule);
		int64_t top = offset + shape->size[buffer];

		if (top >= limit)
			return INT64_MAX;
		if (top > peak)
			peak = top;
		offsets[buffer] = offset;
		insert(fit, i,
		       (struct fit_placed){offset, top, shape->from[buffer],
					   shape->to[buffer]});
	}
	return peak;
}
