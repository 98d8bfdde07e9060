#include "plan/search.h"

#include <stdlib.h>
#include <string.h>

#include "plan/exact.h"

enum {
	FIT_MOST = 30000,  /* buffers; the time may grow as their square */
	QUICK_OF_MANY = 3, /* of the quick orders, where there are more */
	LESS = 2,          /* how much less often the worse way is gone */
	BOOST = 2,         /* as if it were four times as large */
	FEW = 500,
	FIRST_OF_FEW = 24, /* orders */
	FIRST_ORDERS = 384,
	TURNS = 3,
	MOST_ORDERS = 512,
	LONG_ORDERS = 64,
	REPAIR_STEPS = 15000,
	REPAIRS = 4,           /* that fail, before something else is tried */
	FIRST_STEPS = 1 << 29, /* of the exact search, times buffers squared */
	STEPS_MOST = 1 << 30,
};

/* Of what is above the target, for a repair to do away with. */
#define FIRST_CUT 0.05
#define LEAST_CUT 0.001
#define MOST_CUT  0.25

static const struct order_weights quick[] = {
	{.size = 1, .life = 1},
	{.size = 1},
	{.life = 1},
	{.load = 8},
	{.begin = -1},
	{.size = 0.5, .life = 1},
	{.size = 1, .life = 0.5},
	{.size = 0.5, .life = 0.5, .load = 8},
};

bool search_open(struct search *search, const struct shape *shape,
		 const struct plan_options *options)
{
	size_t count = shape->count;
	uint64_t target = options->capacity / shape->unit;

	*search = (struct search){.shape = shape, .random = {options->seed}};
	watch_start(&search->watch, options);
	search->peak = search->repaired = INT64_MAX;
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
	if (search->repairs)
		repair_close(&search->repair);
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

static int64_t peak_of(const struct shape *shape, const int64_t *offsets)
{
	int64_t peak = 0;

	for (size_t i = 0; i < shape->count; i++)
		if (offsets[i] + shape->size[i] > peak)
			peak = offsets[i] + shape->size[i];
	return peak;
}

static void try_skyline(struct search *search,
			const struct order_weights *weights)
{
	int64_t peak;

	orders_rank(&search->orders, weights, &search->random, search->ranks);
	peak = skyline_run(&search->skyline, search->ranks, search->peak,
			   search->trial);
	if (peak < search->peak) {
		search->good = *weights;
		search->by_fit = false;
	}
	search_offer(search, peak);
}

static void try_fit(struct search *search, const struct order_weights *weights,
		    enum fit_rule rule, int64_t limit)
{
	int64_t peak;

	orders_rank(&search->orders, weights, &search->random, search->ranks);
	peak = fit_run(&search->fit, search->ranks, rule, limit, search->trial);
	if (peak < search->peak)
		search->by_fit = true;
	search_offer(search, peak);
}

void search_quickly(struct search *search)
{
	const struct order_weights by_size = {.size = 1};
	const struct order_weights by_life = {.life = 1};

	size_t count = sizeof quick / sizeof *quick;

	if (search->shape->count > FIT_MOST)
		count = QUICK_OF_MANY;
	for (size_t i = 0; i < count; i++) {
		/* The first one is an answer in any case. */
		if (i && search_is_done(search))
			return;
		try_skyline(search, &quick[i]);
	}
	if (search->shape->count > FIT_MOST || search_is_done(search))
		return;
	try_fit(search, &by_size, FIT_FIRST, search->peak);
	if (search_is_done(search))
		return;
	try_fit(search, &by_size, FIT_BEST, search->peak);
	if (search_is_done(search))
		return;
	try_fit(search, &by_life, FIT_FIRST, search->peak);
}

/* First fit, again and again: what came to lie too high is placed earlier the
 * next time. */
static void search_boosts(struct search *search, unsigned passes)
{
	const struct order_weights by_boost = {.size = 1, .boost = 1};
	const struct shape *shape = search->shape;
	float *boost = search->orders.boost;

	for (unsigned pass = 0; pass < passes; pass++) {
		if (search_is_done(search))
			return;
		try_fit(search, &by_boost, FIT_FIRST, INT64_MAX);
		for (size_t i = 0; i < shape->count; i++)
			if (search->trial[i] + shape->size[i] > search->target)
				boost[i] += BOOST;
	}
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

static void search_vary(struct search *search, unsigned passes)
{
	for (unsigned i = 0; i < passes && !search_is_done(search); i++) {
		struct order_weights weights = draw_weights(search, i % 2);

		try_skyline(search, &weights);
	}
}

/* More of what has led to the best plan so far, and a little of the other. */
static void search_turn(struct search *search, unsigned passes)
{
	if (search->shape->count > FIT_MOST) {
		search_vary(search, passes);
	} else if (search->by_fit) {
		search_boosts(search, passes);
		search_vary(search, passes / LESS);
	} else {
		search_vary(search, passes);
		search_boosts(search, passes / LESS);
	}
}

/* False: no memory. */
static bool open_repair(struct search *search)
{
	const struct order_weights large = {.size = 1, .load = 8};

	if (search->repairs)
		return true;
	orders_rank(&search->orders, &large, &search->random, search->ranks);
	search->cut = FIRST_CUT;
	search->repairs =
		repair_open(&search->repair, search->shape, search->ranks,
			    random_word(&search->random));
	return search->repairs;
}

/* Whether the best plan could be made lower. What comes easily is asked for
 * more of the next time. */
static bool try_repair(struct search *search)
{
	double gap = (double)(search->peak - search->target) * search->cut;
	int64_t limit = search->peak - (gap > 1 ? (int64_t)gap : 1);
	uint32_t steps;

	if (search->repaired != search->peak)
		repair_start(&search->repair, search->offsets);
	search->repaired = INT64_MAX;
	steps = repair_run(&search->repair, limit, REPAIR_STEPS, &search->watch,
			   search->trial);
	if (steps == repair_failed) {
		search->cut =
			search->cut > LEAST_CUT ? search->cut / 2 : LEAST_CUT;
		return false;
	}
	search_offer(search, peak_of(search->shape, search->trial));
	search->repaired = search->peak;
	if (steps < REPAIR_STEPS / 4)
		search->cut =
			search->cut < MOST_CUT ? search->cut * 1.5 : MOST_CUT;
	return true;
}

void search_repair(struct search *search, unsigned failures)
{
	while (failures && !search_is_done(search) && open_repair(search))
		failures -= !try_repair(search);
}

/* Asks the exact search for a peak of at most capacity. */
static enum exact_answer try_exact(struct search *search, struct exact *exact,
				   int64_t capacity, uint64_t steps)
{
	enum exact_answer answer =
		exact_run(exact, capacity, steps, search->trial);

	if (answer == EXACT_IMPOSSIBLE && capacity >= search->bound) {
		search->bound = capacity + 1;
		if (search->target < search->bound)
			search->target = search->bound;
	}
	if (answer != EXACT_FOUND)
		return answer;
	search_offer(search, peak_of(search->shape, search->trial));
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
		/* What is better, but not good enough, is of no use then. */
		if (search->watch.options->capacity)
			return;
		low += (search->peak - low + 1) / 2;
	}
}

void search_widely(struct search *search)
{
	/* The exact search is slow where there are more. */
	unsigned passes =
		search->shape->count > FEW ? FIRST_ORDERS : FIRST_OF_FEW;

	/* One pass takes as long as many steps of a repair. */
	if (search->shape->count > FIT_MOST) {
		search_repair(search, REPAIRS);
		return;
	}
	for (int i = 0; i < TURNS; i++)
		search_turn(search, passes / TURNS);
}

void search_long(struct search *search)
{
	uint64_t count = search->shape->count;
	bool exactly = count <= EXACT_MOST;
	uint64_t steps = FIRST_STEPS / (count * count) + 1;
	unsigned passes = count > FIT_MOST ? REPAIRS : LONG_ORDERS;
	struct exact exact;

	if (search_is_done(search))
		return;
	exactly = exactly && exact_open(&exact, search->shape, &search->watch,
					random_word(&search->random));
	while (!search_is_done(search)) {
		if (exactly)
			search_exactly(search, &exact, steps);
		if (count > FEW)
			search_repair(search, REPAIRS);
		search_turn(search, passes);
		if (passes < MOST_ORDERS)
			passes *= 2;
		if (steps < STEPS_MOST)
			steps *= 2;
	}
	if (exactly)
		exact_close(&exact);
}
