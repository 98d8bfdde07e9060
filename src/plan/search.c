#include "plan/search.h"

#include <stdlib.h>
#include <string.h>

#include "plan/exact.h"

enum {
	FIT_MOST = 30000, /* buffers; more take more than a second */
	FIT_EVERY = 16,   /* orders */
	FIRST_ORDERS = 24,
	MOST_ORDERS = 512,
	FIRST_STEPS = 50000,
	STEPS_MOST = 1 << 30,
};

static const struct order_weights quick[] = {
	{1, 1, 0, 0, 0},   {1, 0, 0, 0, 0},     {0, 1, 0, 0, 0},
	{0, 0, 8, 0, 0},   {0, 0, 0, -1, 0},    {0.5, 1, 0, 0, 0},
	{1, 0.5, 0, 0, 0}, {0.5, 0.5, 8, 0, 0},
};

bool search_open(struct search *search, const struct shape *shape,
		 const struct plan_options *options)
{
	size_t count = shape->count;
	uint64_t target = options->capacity / shape->unit;

	*search = (struct search){.shape = shape, .random = {options->seed}};
	watch_start(&search->watch, options);
	search->peak = INT64_MAX;
	search->bound = search->target = shape->bound;
	if (target > (uint64_t)search->target)
		search->target =
			target < INT64_MAX ? (int64_t)target : INT64_MAX;
	search->ranks = malloc(count * sizeof *search->ranks);
	search->offsets = malloc(2 * count * sizeof *search->offsets);
	search->trial = search->offsets + count;
	if (!search->ranks || !search->offsets)
		goto no_memory;
	if (!skyline_open(&search->skyline, shape))
		goto no_memory;
	if (!fit_open(&search->fit, shape))
		goto no_fit;
	if (!orders_open(&search->orders, shape))
		goto no_orders;
	return true;
no_orders:
	fit_close(&search->fit);
no_fit:
	skyline_close(&search->skyline);
no_memory:
	free(search->ranks);
	free(search->offsets);
	return false;
}

void search_close(struct search *search)
{
	orders_close(&search->orders);
	fit_close(&search->fit);
	skyline_close(&search->skyline);
	free(search->ranks);
	free(search->offsets);
}

bool search_is_done(struct search *search)
{
	return search->peak <= search->target || watch_is_over(&search->watch);
}

void search_offer(struct search *search, int64_t peak)
{
	const struct plan_options *options = search->watch.options;

	if (peak >= search->peak)
		return;
	search->peak = peak;
	memcpy(search->offsets, search->trial,
	       search->shape->count * sizeof *search->trial);
	if (options->better)
		options->better(options->argument,
				(uint64_t)peak * search->shape->unit,
				(uint64_t)search->bound * search->shape->unit);
}

static void try_skyline(struct search *search,
			const struct order_weights *weights)
{
	int64_t peak;

	orders_rank(&search->orders, weights, &search->random, search->ranks);
	peak = skyline_run(&search->skyline, search->ranks, search->peak,
			   search->trial);
	if (peak < search->peak)
		search->good = *weights;
	search_offer(search, peak);
}

static void try_fit(struct search *search, const struct order_weights *weights,
		    enum fit_rule rule)
{
	orders_rank(&search->orders, weights, &search->random, search->ranks);
	search_offer(search, fit_run(&search->fit, search->ranks, rule,
				     search->peak, search->trial));
}

void search_quickly(struct search *search)
{
	const struct order_weights by_size = {.size = 1};
	const struct order_weights by_life = {.life = 1};

	for (size_t i = 0; i < sizeof quick / sizeof *quick; i++) {
		/* The first one is an answer in any case. */
		if (i && search_is_done(search))
			return;
		try_skyline(search, &quick[i]);
	}
	if (search->shape->count > FIT_MOST || search_is_done(search))
		return;
	try_fit(search, &by_size, FIT_FIRST);
	if (search_is_done(search))
		return;
	try_fit(search, &by_size, FIT_BEST);
	if (search_is_done(search))
		return;
	try_fit(search, &by_life, FIT_FIRST);
}

/* Half of them are near the best one. */
static struct order_weights draw_weights(struct search *search, bool near)
{
	struct random *random = &search->random;
	struct order_weights weights;

	if (near) {
		weights = search->good;
		weights.size += random_between(random, -0.25, 0.25);
		weights.life += random_between(random, -0.25, 0.25);
		weights.load += random_between(random, -1, 1);
		weights.begin += random_between(random, -0.1, 0.1);
		weights.noise = random_between(random, 0, 0.6);
		return weights;
	}
	weights.size = random_between(random, 0, 2);
	weights.life = random_between(random, 0, 2);
	weights.load = random_between(random, 0, 8);
	weights.begin =
		random_word(random) % 2 ? random_between(random, -1, 1) : 0;
	weights.noise = random_between(random, 0, 0.6);
	return weights;
}

void search_orders(struct search *search, unsigned passes)
{
	for (unsigned i = 0; i < passes && !search_is_done(search); i++) {
		struct order_weights weights = draw_weights(search, i % 2);

		if (i % FIT_EVERY == FIT_EVERY - 1 &&
		    search->shape->count <= FIT_MOST) {
			weights.life /= 8;
			try_fit(search, &weights, FIT_FIRST);
		} else {
			try_skyline(search, &weights);
		}
	}
}

/* Asks the exact search for a peak of at most capacity. */
static enum exact_answer try_exact(struct search *search, struct exact *exact,
				   int64_t capacity, uint64_t steps)
{
	enum exact_answer answer =
		exact_run(exact, capacity, steps, search->trial);
	int64_t peak = 0;

	if (answer == EXACT_IMPOSSIBLE && capacity >= search->bound) {
		search->bound = capacity + 1;
		if (search->target < search->bound)
			search->target = search->bound;
	}
	if (answer != EXACT_FOUND)
		return answer;
	for (size_t i = 0; i < search->shape->count; i++) {
		int64_t top = search->trial[i] + search->shape->size[i];

		peak = top > peak ? top : peak;
	}
	search_offer(search, peak);
	return answer;
}

/* From the target up to the best peak, by halves. */
static void search_exactly(struct search *search, struct exact *exact,
			   uint64_t steps)
{
	int64_t low = search->target;

	while (low < search->peak && !search_is_done(search)) {
		if (try_exact(search, exact, low, steps) == EXACT_FOUND)
			low = search->target;
		low += (search->peak - low + 1) / 2;
	}
}

void search_long(struct search *search)
{
	bool exactly = search->shape->count <= EXACT_MOST;
	uint64_t steps = FIRST_STEPS;
	unsigned passes = FIRST_ORDERS;
	struct exact exact;

	search_orders(search, passes);
	if (search_is_done(search))
		return;
	exactly = exactly && exact_open(&exact, search->shape, &search->watch,
					random_word(&search->random));
	while (!search_is_done(search)) {
		if (exactly)
			search_exactly(search, &exact, steps);
		search_orders(search, passes);
		if (passes < MOST_ORDERS)
			passes *= 2;
		if (steps < STEPS_MOST)
			steps *= 2;
	}
	if (exactly)
		exact_close(&exact);
}
