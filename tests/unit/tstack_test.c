/* tstack_pool without CUDA: whatever a program does, and whatever becomes of
 * memory meanwhile. */
#include "run.h"
#include "tstack_model.h"

enum {
	LAP_LEAST = 4, /* requests */
	LAP_MOST = 40,
	LAPS_LEARN = 160, /* requests, after which there is a plan */
	SEEDS = 120,
	STREAMS = 3,
	OTHER_EVERY = 7,
};

struct request {
	size_t bytes;
	unsigned int stream, life, freed;
};

struct lap {
	struct request requests[LAP_MOST];
	unsigned int count;
};

static struct model model;

static struct request request_drawn(unsigned int sizes, unsigned int count)
{
	struct request request = {
		.bytes = (1 + model_draw(&model, sizes)) * MODEL_UNIT,
		.life = model_draw(&model, model_draw(&model, 9) ? count / 2 + 1
								 : 2 * count)};

	if (model_draw(&model, 3))
		return request;
	request.stream = model_draw(&model, STREAMS + 1);
	request.freed = model_draw(&model, STREAMS + 1);
	return request;
}

static struct lap lap_drawn(unsigned int sizes)
{
	struct lap lap = {.count = LAP_LEAST +
				   model_draw(&model, LAP_MOST - LAP_LEAST)};

	for (unsigned int i = 0; i < lap.count; i++)
		lap.requests[i] = request_drawn(sizes, lap.count);
	return lap;
}

static void ask(const struct request *request)
{
	model_step(&model);
	model_ask(&model, request->bytes, request->stream, request->life,
		  request->freed);
}

static void lap_play(const struct lap *lap)
{
	for (unsigned int i = 0; i < lap->count; i++)
		ask(&lap->requests[i]);
}

/* Laps until there is a plan, which is made use of. */
static void lap_learn(const struct lap *lap)
{
	for (unsigned int i = 0; i < LAPS_LEARN; i += lap->count)
		lap_play(lap);
}

/* deviates: so many requests in a thousand. */
static void lap_stray(const struct lap *lap, unsigned int deviates)
{
	for (unsigned int i = 0; i < lap->count; i++) {
		struct request request = lap->requests[i], other;

		if (model_draw(&model, 1000) >= deviates) {
			ask(&request);
			continue;
		}
		other = request_drawn(model_draw(&model, 4) ? 60 : 300,
				      lap->count);
		switch (model_draw(&model, 6)) {
		case 0: /* inserted */
			ask(&other);
			ask(&request);
			break;
		case 1: /* the same once more */
			other = request;
			other.life = model_draw(&model, 3 * lap->count);
			ask(&other);
			ask(&request);
			break;
		case 2: /* left out */
			break;
		case 3: /* freed late */
			request.life += model_draw(&model, 3 * lap->count);
			ask(&request);
			break;
		case 4: /* the next one comes first */
			if (i + 1 < lap->count)
				ask(&lap->requests[++i]);
			ask(&request);
			break;
		case 5: /* smaller */
			request.bytes -=
				request.bytes / MODEL_UNIT / 3 * MODEL_UNIT;
			ask(&request);
		}
	}
}

/* All that may happen, with chances that are drawn as well. */
static void seed_run(enum mnm_backing backing, uint64_t seed)
{
	static const unsigned int often[] = {0, 10, 40, 200};
	struct lap lap, other;
	unsigned int deviates, trims, late = 0;
	bool two;

	model_open(&model, backing, seed);
	lap = lap_drawn(1 + model_draw(&model, 100));
	other = lap_drawn(60);
	deviates = often[model_draw(&model, 4)];
	trims = often[model_draw(&model, 3)];
	two = !model_draw(&model, 4);
	model.fails = model_draw(&model, 2) ? 0 : often[model_draw(&model, 4)];
	model.strange = 5 * often[model_draw(&model, 4)];
	lap_learn(&lap);
	for (unsigned int i = 0; i < 12; i++) {
		lap_stray(two && i % OTHER_EVERY == 0 ? &other : &lap,
			  deviates + late);
		if (model_draw(&model, 1000) < 10 * trims)
			model_trim(&model, model_draw(&model, 2)
						   ? SIZE_MAX
						   : MNM_REGION_PAGE);
	}
	model_close(&model);
}

START_TEST(no_byte_is_handed_out_twice_or_too_early_or_lost)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		seed_run(MNM_BACKING_VIRTUAL, seed);
}
END_TEST

START_TEST(nor_in_regions_that_do_not_grow)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		seed_run(MNM_BACKING_DEVICE, seed);
}
END_TEST

/* How many bytes of so many laps are not placed as planned. */
static uint64_t bytes_missed(const struct lap *lap, unsigned int laps)
{
	struct tstack_figures before = model_figures(&model), after;

	for (unsigned int i = 0; i < laps; i++)
		lap_play(lap);
	after = model_figures(&model);
	ck_assert_uint_gt(after.asked_bytes, before.asked_bytes);
	return after.asked_bytes - before.asked_bytes -
	       (after.placed_bytes - before.placed_bytes);
}

START_TEST(what_repeats_is_placed_by_a_plan_in_addresses_claimed_once)
{
	struct tstack_figures figures;
	struct lap lap;
	size_t pages;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		ck_assert_uint_eq(bytes_missed(&lap, 8), 0);
		figures = model_figures(&model);
		pages = (figures.peak + MNM_REGION_PAGE - 1) / MNM_REGION_PAGE;
		ck_assert_uint_eq(figures.arena_bytes, pages * MNM_REGION_PAGE);
		ck_assert_uint_ge(model.claimed, figures.arena_bytes);
		model_close(&model);
	}
}
END_TEST

START_TEST(a_trim_ends_the_arena_and_its_blocks_stay)
{
	struct tstack_figures figures;
	struct lap lap;

	model_open(&model, MNM_BACKING_VIRTUAL, 3);
	model.fences = true;
	lap = lap_drawn(80);
	lap.requests[0].life = lap.count / 2;
	for (int i = 0; i < 4; i++)
		lap_learn(&lap);
	ask(&lap.requests[0]);
	figures = model_figures(&model);
	ck_assert_uint_gt(figures.arena_live, 0);
	model_trim(&model, SIZE_MAX);
	figures = model_figures(&model);
	ck_assert_uint_eq(figures.arena_bytes, 0);
	ck_assert_uint_eq(figures.state, TSTACK_WAITS);
	ck_assert_uint_gt(model.count, 0);
	model_close(&model);
}
END_TEST

/* Its pages come as that grows. */
START_TEST(an_arena_ends_in_a_region_that_grows_no_more)
{
	struct tstack_figures figures = {0};
	struct lap lap;

	model_open(&model, MNM_BACKING_VIRTUAL, 3);
	lap = lap_drawn(80);
	for (unsigned int i = 0; !figures.arena_bytes; i++) {
		ask(&lap.requests[i % lap.count]);
		figures = model_figures(&model);
	}
	ck_assert_uint_gt(figures.arena_bytes, MNM_REGION_PAGE);
	model.pool->growing = NULL;
	ask(&lap.requests[0]);
	figures = model_figures(&model);
	ck_assert_uint_eq(figures.arena_bytes, 0);
	ck_assert_uint_eq(figures.state, TSTACK_WAITS);
	lap_learn(&lap);
	model_close(&model);
}
END_TEST

/* Whenever it comes, also while memory is wanted for an arena. */
START_TEST(a_request_larger_than_a_plan_gets_a_region_for_it)
{
	const struct request huge = {.bytes = 40 * MNM_REGION_PAGE};
	struct lap lap;
	unsigned int at;

	for (unsigned int more = 0; more < LAP_MOST; more++) {
		model_open(&model, MNM_BACKING_DEVICE, 3);
		lap = lap_drawn(80);
		for (at = 0; model_figures(&model).state != TSTACK_WAITS; at++)
			ask(&lap.requests[at % lap.count]);
		for (unsigned int i = 0; i < more; i++, at++)
			ask(&lap.requests[at % lap.count]);
		ask(&huge);
		model_close(&model);
	}
}
END_TEST

/* Asks, and gives back what there is. */
static enum mnm_answer asked_for(const struct request *asked)
{
	struct mnm_pool *pool = model.pool;
	const struct mnm_request request = {.span = asked->bytes,
					    .stream = asked->stream,
					    .safe = model.safe};
	struct mnm_place place;
	enum mnm_answer answer = pool->ops->place(pool, &request, &place);

	if (answer == MNM_HIT)
		ck_assert(pool->ops->add(pool, &place));
	return answer;
}

/* Its place in the plan is not ready, so the pool grows. */
START_TEST(memory_for_a_request_serves_it_whatever_others_ask_meanwhile)
{
	unsigned int found = 0;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		model.pool->live_count++;
		if (lap.requests[0].bytes != lap.requests[1].bytes &&
		    asked_for(&lap.requests[0]) == MNM_UNSAFE) {
			model_grow(&model, lap.requests[0].bytes, true, 1);
			asked_for(&lap.requests[1]);
			ck_assert_int_eq(asked_for(&lap.requests[0]), MNM_HIT);
			found++;
		}
		model.pool->live_count--;
		model_close(&model);
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

/* A longer period is found, and its plan takes its time. */
START_TEST(a_plan_is_followed_until_the_next_one_is_made)
{
	const unsigned int every = 3, long_time = 1U << 20;
	struct lap lap, other;
	unsigned int found = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		other = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		for (unsigned int i = 0; i < 40 * every && !model.job; i++) {
			lap_play(i % every ? &lap : &other);
			model.wait = long_time;
		}
		found += model.job != NULL;
		if (model.job) {
			model.wait = long_time;
			lap_play(&lap);
			ck_assert_uint_eq(bytes_missed(&lap, 12), 0);
			ck_assert_int_eq(model_figures(&model).state,
					 TSTACK_FOLLOWS);
		}
		model_close(&model);
	}
	ck_assert_uint_gt(found, 2);
}
END_TEST

int main(void)
{
	static const TTest *tests[9]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = no_byte_is_handed_out_twice_or_too_early_or_lost;
	tests[n++] = nor_in_regions_that_do_not_grow;
	tests[n++] = what_repeats_is_placed_by_a_plan_in_addresses_claimed_once;
	tests[n++] = a_trim_ends_the_arena_and_its_blocks_stay;
	tests[n++] = an_arena_ends_in_a_region_that_grows_no_more;
	tests[n++] = a_request_larger_than_a_plan_gets_a_region_for_it;
	tests[n++] =
		memory_for_a_request_serves_it_whatever_others_ask_meanwhile;
	tests[n++] = a_plan_is_followed_until_the_next_one_is_made;
	return tests_run("tstack", tests);
}
