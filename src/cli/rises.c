#include "rises.h"

#include <stdlib.h>

/* ITERATIONS: fewer are none. CLEARLY: how much higher an iteration is than
 * what is none: 8 times in a training of BERT with batches of many lengths
 * (bert_base_dynamic_bs16 of examples/traces), 5 times between the parts of an
 * iteration in one of VGG, which repeats. SHORTER, LONGER: than half of the
 * iterations, so many times, and it is none: where what stays grows, one does
 * not end. LEAST: requests of half of them. LOW: part of the height of the
 * highest one that counts as fallen. */
enum {
	ITERATIONS = 4,
	CLEARLY = 6,
	SHORTER = 4,
	LONGER = 8,
	LEAST = 2,
	LOW = 100,
	MOST = 1 << 20
};

void rises_begin(struct rises *rises, uint64_t requests)
{
	*rises = (struct rises){.expected = requests,
				.least = UINT64_MAX,
				.lowest = UINT64_MAX,
				.fits = true};
}

/* What lives as a program begins and ends says nothing of what stays. */
void rises_measure(struct rises *rises, const struct rises_step *step)
{
	uint64_t quarter = rises->expected / 4;

	rises->seen += step->comes;
	if (rises->seen > quarter && rises->seen <= rises->expected - quarter &&
	    step->after < rises->least)
		rises->least = step->after;
	if (step->after > rises->most)
		rises->most = step->after;
}

static uint64_t low_of(const struct rises *rises)
{
	return rises->least + (rises->most - rises->least) / LOW;
}

static struct rise *rise_add(struct rises *rises)
{
	if (rises->count == rises->room) {
		size_t room = rises->room ? 2 * rises->room : 64;
		struct rise *more =
			room > MOST ? NULL
				    : realloc(rises->all, room * sizeof(*more));

		rises->fits &= more != NULL;
		if (!more)
			return NULL;
		rises->all = more;
		rises->room = room;
	}
	return &rises->all[rises->count++];
}

/* It begins with the last request before which as little lived as ever since
 * the last rise. */
static void low_look(struct rises *rises, const struct rises_step *step)
{
	struct rise *rise;

	if (step->comes && step->before <= rises->lowest) {
		rises->lowest = step->before;
		rises->lowest_number = step->number;
		rises->requests = 0;
	}
	rises->requests += step->comes;
	if (step->after <= low_of(rises))
		return;
	rise = rise_add(rises);
	if (!rise)
		return;
	*rise = (struct rise){.number = rises->lowest_number,
			      .height = step->after - rises->least,
			      .requests = rises->requests};
	rises->rising = true;
}

void rises_look(struct rises *rises, const struct rises_step *step)
{
	struct rise *rise;

	if (!rises->fits || rises->least > rises->most)
		return;
	if (!rises->rising) {
		low_look(rises, step);
		return;
	}
	rise = &rises->all[rises->count - 1];
	rise->requests += step->comes;
	if (step->after > low_of(rises)) {
		if (step->after - rises->least > rise->height)
			rise->height = step->after - rises->least;
		return;
	}
	rise->end = step->number + 1;
	rises->rising = false;
	rises->lowest = UINT64_MAX;
}

static int lower(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left < right) - (left > right);
}

/* The height of the lowest iteration: behind it there is the widest gap. 0 if
 * that is not clear. */
static uint64_t least_height(const uint64_t *heights, size_t count,
			     uint64_t none)
{
	uint64_t height = 0;
	double widest = CLEARLY;

	for (size_t i = ITERATIONS - 1; i < count; i++) {
		uint64_t next = i + 1 < count ? heights[i + 1] : none;
		double gap = (double)heights[i] / (double)(next ? next : 1);

		if (gap < widest)
			continue;
		widest = gap;
		height = heights[i];
	}
	return height;
}

static bool keep_high(struct rises *rises, uint64_t *heights)
{
	size_t kept = 0;
	uint64_t least;

	for (size_t i = 0; i < rises->count; i++)
		heights[i] = rises->all[i].height;
	qsort(heights, rises->count, sizeof(*heights), lower);
	least = least_height(heights, rises->count,
			     low_of(rises) - rises->least);
	for (size_t i = 0; least && i < rises->count; i++)
		if (rises->all[i].height >= least)
			rises->all[kept++] = rises->all[i];
	rises->count = kept;
	return kept;
}

/* The first may be two parts of one, in which what stays is made; the last may
 * be cut off. */
static bool are_alike(struct rises *rises, uint64_t *requests)
{
	for (size_t i = 0; i < rises->count; i++)
		requests[i] = rises->all[i].requests;
	qsort(requests, rises->count, sizeof(*requests), lower);
	rises->usual = requests[rises->count / 2];
	for (size_t i = 1; i < rises->count; i++) {
		bool last = i + 1 == rises->count;
		uint64_t own = rises->all[i].requests;

		if ((!last && own < rises->usual / SHORTER) ||
		    own / LONGER > rises->usual)
			return false;
	}
	return rises->usual >= LEAST;
}

size_t rises_choose(struct rises *rises)
{
	uint64_t *numbers = NULL;
	bool chosen;

	if (rises->rising) /* it has no end */
		rises->count--;
	rises->rising = false;
	if (rises->fits && rises->count >= ITERATIONS)
		numbers = calloc(rises->count, sizeof(*numbers));
	chosen = numbers && keep_high(rises, numbers) &&
		 are_alike(rises, numbers);
	free(numbers);
	if (!chosen)
		rises->count = 0;
	return rises->count;
}

void rises_end(struct rises *rises)
{
	free(rises->all);
	*rises = (struct rises){0};
}
