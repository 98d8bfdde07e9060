/* tstack_pool without CUDA: whatever a program does, and whatever becomes of
 * memory meanwhile. */
#include <limits.h>

#include "pools/tstack.h"
#include "run.h"
#include "tstack_model.h"

enum {
	LAP_LEAST = 4, /* requests */
	WEIGHTS = 8,
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

enum { SHAPES = 3, SHAPES_MOST = 14 };

static struct lap shapes[SHAPES_MOST];
static unsigned int kept; /* runs with several plans at a time */

/* An iteration of training: what the first half asks for is freed in the
 * reverse order in the second half, whose own are short-lived. Nothing outlives
 * it but one. All of it grows with `scale`. */
static struct lap shape_drawn(unsigned int scale)
{
	struct lap lap = {.count = 30 + 2 * model_draw(&model, 5)};

	for (unsigned int i = 0; i < lap.count; i++) {
		struct request *at = &lap.requests[i];

		at->bytes =
			(4 + model_draw(&model, 40)) * scale * MODEL_UNIT / 4;
		at->bytes =
			(at->bytes + MODEL_UNIT - 1) / MODEL_UNIT * MODEL_UNIT;
		at->life = i < lap.count / 2 ? lap.count - 1 - 2 * i : 0;
	}
	lap.requests[lap.count - 1].life = 5;
	return lap;
}

/* Laps of several shapes in any order, which have plans of their own after a
 * while. */
static void shapes_stray(const struct lap *lap, unsigned int deviates)
{
	bool told = model_draw(&model, 2), nested = model_draw(&model, 2);

	shapes[0] = *lap;
	for (unsigned int i = 1; i < SHAPES; i++)
		shapes[i] = nested ? shape_drawn(4 + i) : lap_drawn(80);
	for (unsigned int i = 0; i < 48; i++) {
		const struct lap *now = &shapes[model_draw(&model, SHAPES)];

		if (told && model_draw(&model, 16))
			tstack_pool_mark(model.pool);
		if (i < 24)
			lap_play(now);
		else
			lap_stray(now, deviates);
	}
	kept += model_figures(&model).templates > 1;
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
	/* Some begin with the plan of a run before. */
	if (seed % 3 == 0) {
		lap_learn(&lap);
		model_reopen(&model, backing, seed);
		lap = lap_drawn(1 + model_draw(&model, 100));
	}
	other = lap_drawn(60);
	deviates = often[model_draw(&model, 4)];
	trims = often[model_draw(&model, 3)];
	two = !model_draw(&model, 4);
	model.fails = model_draw(&model, 2) ? 0 : often[model_draw(&model, 4)];
	model.strange = 5 * often[model_draw(&model, 4)];
	lap_learn(&lap);
	if (!model_draw(&model, 3))
		shapes_stray(&lap, deviates);
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
	ck_assert_uint_gt(kept, SEEDS / 10);
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

	for (uint64_t seed = 1; seed <= 20; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		ck_assert_uint_eq(bytes_missed(&lap, 8), 0);
		figures = model_figures(&model);
		ck_assert_uint_eq(figures.arena_bytes, figures.peak);
		ck_assert_uint_ge(model.claimed, figures.arena_bytes);
		model_close(&model);
	}
}
END_TEST

/* Returns how many bytes that asks for. */
static uint64_t shapes_play(unsigned int count, unsigned int laps, bool told)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < laps; i++) {
		const struct lap *lap = &shapes[model_draw(&model, count)];

		if (told)
			tstack_pool_mark(model.pool);
		lap_play(lap);
		for (unsigned int j = 0; j < lap->count; j++)
			bytes += lap->requests[j].bytes;
	}
	return bytes;
}

/* Another length of a batch: most of it is larger. */
static struct lap lap_scaled(const struct lap *lap, unsigned int by)
{
	struct lap other = *lap;

	for (unsigned int i = 0; i < lap->count; i++)
		if (i % 5)
			other.requests[i].bytes += lap->requests[i].bytes /
						   MODEL_UNIT * by / 4 *
						   MODEL_UNIT;
	return other;
}

/* Shapes in any order, each of which is seen often: how many bytes are asked
 * for then, and how many of them are placed. Without marks, a program begins
 * with one of them. */
static void shapes_follow(bool told, bool scaled, uint64_t *asked,
			  uint64_t *placed)
{
	struct tstack_figures before, after;

	for (unsigned int i = 0; i < SHAPES; i++)
		shapes[i] = scaled && i ? lap_scaled(&shapes[0], i)
					: shape_drawn(4 + i);
	if (!told)
		lap_learn(&shapes[0]);
	shapes_play(SHAPES, 300, told);
	before = model_figures(&model);
	*asked += shapes_play(SHAPES, 300, told);
	after = model_figures(&model);
	if (told)
		ck_assert_uint_gt(after.templates, 1);
	if (told && !scaled)
		ck_assert_uint_eq(after.plans, before.plans);
	*placed += after.placed_bytes - before.placed_bytes;
}

static void shapes_test(bool told, bool scaled, unsigned int percent)
{
	uint64_t asked = 0, placed = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		shapes_follow(told, scaled, &asked, &placed);
		model_close(&model);
	}
	ck_assert_uint_ge(100 * placed, percent * asked);
}

START_TEST(shapes_that_alternate_keep_their_plans)
{
	shapes_test(true, false, 96);
	shapes_test(true, true, 89);
	shapes_test(false, false, 92);
	shapes_test(false, true, 72);
}
END_TEST

/* Plans for more shapes than can be kept are made more and more seldom. */
START_TEST(of_many_shapes_the_last_ones_keep_their_plans)
{
	struct tstack_figures figures;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint64_t most = 0;

		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		for (unsigned int i = 0; i < SHAPES_MOST; i++)
			shapes[i] = shape_drawn(4 + i % 4);
		for (int i = 0; i < 100; i++) {
			shapes_play(SHAPES_MOST, 20, true);
			figures = model_figures(&model);
			if (figures.templates > most)
				most = figures.templates;
		}
		ck_assert_uint_le(most, 8);
		ck_assert_uint_ge(most, 6);
		ck_assert_uint_lt(figures.plans, 100);
		model_close(&model);
	}
}
END_TEST

/* The arena has room for the largest plan, of which the program makes no use
 * any more. Then it is as good as one that has all of its pages. */
START_TEST(an_arena_that_is_not_needed_whole_settles)
{
	const struct tstack_pool *self;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		shapes[0] = shape_drawn(4);
		shapes[1] = shape_drawn(16);
		shapes_play(2, 40, true);
		ck_assert_uint_ge(model_figures(&model).templates, 2);
		model_trim(&model, SIZE_MAX);
		shapes_play(1, 400, true);
		self = (const struct tstack_pool *)model.pool;
		ck_assert_ptr_nonnull(self->region);
		ck_assert_uint_gt(self->unbacked, 0);
		ck_assert(tstack_is_settled(self));
		model_close(&model);
	}
}
END_TEST

/* How long what lay in an arena lives is known after its end: each block that
 * lives is waited for, and each free is noted. */
START_TEST(lives_are_known_when_an_arena_has_ended)
{
	const struct tstack_pool *self;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		for (unsigned int i = 0; i < lap.count / 2; i++)
			ask(&lap.requests[i]);
		ck_assert_int_eq(model_figures(&model).state, TSTACK_FOLLOWS);
		model_trim(&model, SIZE_MAX);
		self = (const struct tstack_pool *)model.pool;
		ck_assert_ptr_null(self->region);
		ck_assert_uint_gt(model.count, 0);
		ck_assert_uint_eq(self->serials.count, model.count);
		while (model.count)
			model_free(&model, 0);
		ck_assert_uint_eq(self->serials.count, 0);
		ck_assert_uint_eq(finder_history(self->finder)->live, 0);
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

/* Pages that are short are the cheapest window of the arena; the rest of the
 * plan is followed on. */
START_TEST(where_little_is_short_a_window_of_the_arena_goes)
{
	unsigned int stayed = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct tstack_figures before, after;
		size_t bytes;
		uint64_t asked, missed;

		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		shapes[0] = shape_drawn(4);
		for (int i = 0; i < 4; i++)
			lap_learn(&shapes[0]);
		before = model_figures(&model);
		bytes = model.pool->region_bytes;
		while (model.pool->region_bytes + MNM_REGION_PAGE > bytes ||
		       model.pool->region_bytes > before.arena_bytes)
			model_trim(&model, MNM_REGION_PAGE);
		model_trim(&model, MNM_REGION_PAGE);
		after = model_figures(&model);
		if (after.state == TSTACK_FOLLOWS) {
			ck_assert_uint_eq(after.arena_bytes,
					  before.arena_bytes);
			missed = bytes_missed(&shapes[0], 8);
			asked = model_figures(&model).asked_bytes -
				after.asked_bytes;
			ck_assert_uint_le(10 * missed, 2 * asked);
			stayed++;
		}
		model_trim(&model, SIZE_MAX);
		ck_assert_uint_eq(model_figures(&model).arena_bytes, 0);
		model_close(&model);
	}
	ck_assert_uint_ge(stayed, 6);
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

/* A program that is followed, whose base pool has hardly any memory left. Its
 * laps are drawn from the seed. */
static struct lap followed(uint64_t seed)
{
	struct lap lap;

	model_open(&model, MNM_BACKING_VIRTUAL, seed);
	model.fences = true;
	lap = lap_drawn(80);
	for (int i = 0; i < 6; i++)
		lap_learn(&lap);
	ck_assert_int_eq(model_figures(&model).state, TSTACK_FOLLOWS);
	return lap;
}

START_TEST(pages_that_the_base_pool_does_not_need_go_back)
{
	struct tstack_figures figures;
	size_t shed = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		followed(seed);
		figures = model_figures(&model);
		ck_assert_uint_lt(model.pool->region_bytes,
				  figures.arena_bytes + 2 * MNM_REGION_PAGE);
		shed += model.shed;
		model_close(&model);
	}
	ck_assert_uint_gt(shed, 0);
}
END_TEST

/* The larger part of an arena in which little lives. */
START_TEST(an_idle_arena_serves_what_no_plan_foresees)
{
	struct tstack_figures figures;
	struct request other = {.life = 0};
	size_t reserved;
	unsigned int found = 0;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = followed(seed);
		while (model.count)
			model_free(&model, 0);
		reserved = model.pool->region_bytes;
		figures = model_figures(&model);
		other.bytes =
			figures.arena_bytes / 8 * 7 / MODEL_UNIT * MODEL_UNIT;
		if (other.bytes > 3 * MNM_REGION_PAGE) {
			for (unsigned int i = 0; i < 4; i++)
				ask(&other);
			ck_assert_uint_eq(model.pool->region_bytes, reserved);
			ck_assert_uint_ge(model_figures(&model).arena_live,
					  other.bytes);
			found++;
		}
		lap_learn(&lap);
		ck_assert_uint_eq(bytes_missed(&lap, 4), 0);
		model_close(&model);
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

/* Wherever in a lap other requests come. */
START_TEST(a_plan_outlives_requests_that_it_does_not_foresee)
{
	struct lap lap = followed(5);
	uint64_t plans = model_figures(&model).plans;
	struct request other = {.bytes = MODEL_UNIT};

	for (unsigned int at = 0; at < lap.count; at++) {
		for (unsigned int i = 0; i < lap.count; i++) {
			if (i == at)
				for (int j = 0; j < 12; j++)
					ask(&other);
			ask(&lap.requests[i]);
		}
		lap_play(&lap);
	}
	ck_assert_int_eq(model_figures(&model).state, TSTACK_FOLLOWS);
	ck_assert_uint_eq(model_figures(&model).plans, plans);
	ck_assert_uint_eq(bytes_missed(&lap, 4), 0);
	model_close(&model);
}
END_TEST

/* The base pool has memory for the requests whose places the block has. */
START_TEST(an_arena_begins_elsewhere_if_a_block_stays_in_it)
{
	struct request other = {.bytes = 3 * MNM_REGION_PAGE, .life = 1 << 20};
	unsigned int found = 0;
	uint64_t plans;
	size_t claimed;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = followed(seed);
		claimed = model.claimed;
		plans = model_figures(&model).plans;
		while (model.count)
			model_free(&model, 0);
		ask(&other);
		if (!model_figures(&model).arena_live) {
			model_close(&model);
			continue;
		}
		model_grow(&model, 99 * MNM_REGION_PAGE, false, 0);
		for (int i = 0; i < 12; i++)
			lap_learn(&lap);
		ck_assert_uint_gt(model.claimed, claimed);
		ck_assert_uint_eq(model_figures(&model).plans, plans);
		ck_assert_uint_eq(bytes_missed(&lap, 4), 0);
		model_close(&model);
		found++;
	}
	ck_assert_uint_gt(found, 0);
}
END_TEST

/* What a program takes before its first iteration, and keeps. */
static void weights_ask(const struct lap *lap, size_t more)
{
	struct request weight = {.life = UINT_MAX};

	for (unsigned int i = 0; i < WEIGHTS; i++) {
		weight.bytes = lap->requests[i % lap->count].bytes + more;
		ask(&weight);
	}
}

/* The first iteration, and what it keeps besides. */
static void first_play(const struct lap *lap)
{
	struct request kept = {.life = UINT_MAX};

	for (unsigned int i = 0; i < lap->count; i++) {
		kept.bytes = (1 + i) * MODEL_UNIT;
		if (i % 3 == 1)
			ask(&kept);
		ask(&lap->requests[i]);
	}
}

static struct lap lap_saved(uint64_t seed)
{
	struct lap lap;

	model_open(&model, MNM_BACKING_VIRTUAL, seed);
	model.fences = true;
	lap = lap_drawn(80);
	weights_ask(&lap, 0);
	first_play(&lap);
	for (int i = 0; i < 4; i++)
		lap_learn(&lap);
	model_reopen(&model, MNM_BACKING_VIRTUAL, seed);
	model.fences = true;
	model.at_once = true;
	return lap;
}

START_TEST(a_plan_of_a_file_is_followed_from_the_first_iteration)
{
	struct tstack_figures figures;
	unsigned int at_once = 0;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = lap_saved(seed);
		weights_ask(&lap, 0);
		first_play(&lap);
		at_once += model_figures(&model).state == TSTACK_FOLLOWS;
		lap_play(&lap);
		ck_assert_uint_eq(bytes_missed(&lap, 4), 0);
		figures = model_figures(&model);
		ck_assert_uint_eq(figures.loads, 1);
		ck_assert_uint_eq(figures.plans, 0);
		model_close(&model);
	}
	ck_assert_uint_ge(at_once, 18);
}
END_TEST

/* The plan comes so many requests after the program's beginning. */
START_TEST(a_plan_that_comes_late_is_followed_from_there)
{
	struct tstack_figures figures;
	unsigned int at_once = 0;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = lap_saved(seed);
		model.late = WEIGHTS + 7;
		weights_ask(&lap, 0);
		first_play(&lap);
		figures = model_figures(&model);
		at_once +=
			figures.state == TSTACK_FOLLOWS && !figures.deviations;
		lap_play(&lap);
		ck_assert_uint_eq(bytes_missed(&lap, 4), 0);
		model_close(&model);
	}
	ck_assert_uint_ge(at_once, 18);
}
END_TEST

START_TEST(a_plan_of_a_file_waits_where_the_program_begins_otherwise)
{
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = lap_saved(seed);
		weights_ask(&lap, MODEL_UNIT);
		ask(&lap.requests[0]);
		ask(&lap.requests[1 % lap.count]);
		ck_assert_int_eq(model_figures(&model).state, TSTACK_WAITS);
		model_close(&model);
	}
}
END_TEST

/* Blocks that the program keeps lie in the plan's places, as it did not begin
 * as when the plan was made. */
START_TEST(a_plan_whose_places_are_kept_moves_on)
{
	struct lap lap, keeping;
	unsigned int placed = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		lap = keeping = lap_saved(seed);
		weights_ask(&lap, MODEL_UNIT);
		for (unsigned int i = 0;
		     i < 3 && model_figures(&model).state == TSTACK_WAITS; i++)
			lap_play(&lap);
		for (unsigned int i = 0; i < lap.count; i += 2)
			keeping.requests[i].life = UINT_MAX;
		lap_play(&keeping);
		for (int i = 0; i < 20; i++)
			lap_play(&lap);
		placed +=
			!bytes_missed(&lap, 4) && !model_figures(&model).plans;
		model_close(&model);
	}
	ck_assert_uint_ge(placed, 18);
}
END_TEST

START_TEST(a_plan_of_another_program_gives_way_to_one_that_is_learnt)
{
	struct tstack_figures figures;
	struct lap lap;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		model_reopen(&model, MNM_BACKING_VIRTUAL, seed + 50);
		model.fences = true;
		lap = lap_drawn(80);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		figures = model_figures(&model);
		ck_assert_uint_eq(figures.loads, 1);
		ck_assert_uint_ge(figures.plans, 1);
		ck_assert_uint_eq(bytes_missed(&lap, 8), 0);
		model_close(&model);
	}
}
END_TEST

/* The end of each iteration is left out, and so is the moment, for some, at
 * which the plan would be made use of. */
START_TEST(a_plan_that_finds_no_beginning_gives_way)
{
	struct lap lap;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		model_open(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		lap = shape_drawn(4);
		for (int i = 0; i < 4; i++)
			lap_learn(&lap);
		model_reopen(&model, MNM_BACKING_VIRTUAL, seed);
		model.fences = true;
		ask(&lap.requests[1]);
		lap.count -= lap.count / 8;
		for (int i = 0; i < 1 << 16; i += (int)lap.count)
			lap_play(&lap);
		ck_assert_uint_eq(model_figures(&model).loads, 1);
		ck_assert_int_eq(model_figures(&model).state, TSTACK_FOLLOWS);
		model_close(&model);
	}
}
END_TEST

/* A program that never repeats. */
START_TEST(a_plan_that_never_fits_is_dropped)
{
	struct lap lap;
	size_t size;

	model_open(&model, MNM_BACKING_VIRTUAL, 3);
	lap = lap_drawn(80);
	lap_learn(&lap);
	lap_learn(&lap);
	model_reopen(&model, MNM_BACKING_VIRTUAL, 4);
	model.fences = true;
	ask(&lap.requests[0]);
	for (int i = 0; i < 1 << 17; i++) {
		struct request request = {
			.bytes = (100 + model_draw(&model, 100)) * MODEL_UNIT};

		ask(&request);
		if (model_figures(&model).state == TSTACK_RESTS)
			break;
	}
	ck_assert_uint_eq(model_figures(&model).loads, 1);
	ck_assert_int_eq(model_figures(&model).state, TSTACK_RESTS);
	ck_assert_ptr_null(tstack_pool_file(model.pool, &size));
	model_close(&model);
}
END_TEST

/* Two of them are more requests than are looked at without a mark. */
START_TEST(long_iterations_that_are_marked_are_learnt)
{
	enum { LONG = 20000, LAPS = 8 };

	model_open(&model, MNM_BACKING_VIRTUAL, 3);
	model.fences = true;
	for (unsigned int i = 0; i < LAPS * LONG; i++) {
		unsigned int at = i % LONG * 2654435761U;
		struct request request = {.bytes = (1 + (at >> 16) % 80) *
						   MODEL_UNIT,
					  .life = at >> 28};

		if (i % LONG == 0)
			tstack_pool_mark(model.pool);
		ask(&request);
	}
	ck_assert_uint_eq(model_figures(&model).plans, 1);
	ck_assert_int_eq(model_figures(&model).state, TSTACK_FOLLOWS);
	model_close(&model);
}
END_TEST

START_TEST(a_wrong_file_is_as_none)
{
	struct lap lap;

	model_open(&model, MNM_BACKING_VIRTUAL, 3);
	lap = lap_drawn(80);
	lap_learn(&lap);
	lap_learn(&lap);
	model_reopen(&model, MNM_BACKING_VIRTUAL, 3);
	model.file[model.file_size - 1] ^= 1;
	model.fences = true;
	lap = lap_drawn(80);
	for (int i = 0; i < 4; i++)
		lap_learn(&lap);
	ck_assert_uint_eq(model_figures(&model).loads, 0);
	ck_assert_uint_eq(model_figures(&model).plans, 1);
	ck_assert_uint_eq(bytes_missed(&lap, 8), 0);
	model_close(&model);
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
	static const TTest *tests[27]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = no_byte_is_handed_out_twice_or_too_early_or_lost;
	tests[n++] = nor_in_regions_that_do_not_grow;
	tests[n++] = what_repeats_is_placed_by_a_plan_in_addresses_claimed_once;
	tests[n++] = shapes_that_alternate_keep_their_plans;
	tests[n++] = of_many_shapes_the_last_ones_keep_their_plans;
	tests[n++] = an_arena_that_is_not_needed_whole_settles;
	tests[n++] = lives_are_known_when_an_arena_has_ended;
	tests[n++] = a_trim_ends_the_arena_and_its_blocks_stay;
	tests[n++] = where_little_is_short_a_window_of_the_arena_goes;
	tests[n++] = an_arena_ends_in_a_region_that_grows_no_more;
	tests[n++] = a_request_larger_than_a_plan_gets_a_region_for_it;
	tests[n++] =
		memory_for_a_request_serves_it_whatever_others_ask_meanwhile;
	tests[n++] = pages_that_the_base_pool_does_not_need_go_back;
	tests[n++] = an_idle_arena_serves_what_no_plan_foresees;
	tests[n++] = a_plan_outlives_requests_that_it_does_not_foresee;
	tests[n++] = an_arena_begins_elsewhere_if_a_block_stays_in_it;
	tests[n++] = a_plan_of_a_file_is_followed_from_the_first_iteration;
	tests[n++] = a_plan_that_comes_late_is_followed_from_there;
	tests[n++] = a_plan_of_a_file_waits_where_the_program_begins_otherwise;
	tests[n++] = a_plan_whose_places_are_kept_moves_on;
	tests[n++] = a_plan_of_another_program_gives_way_to_one_that_is_learnt;
	tests[n++] = a_plan_that_finds_no_beginning_gives_way;
	tests[n++] = a_plan_that_never_fits_is_dropped;
	tests[n++] = long_iterations_that_are_marked_are_learnt;
	tests[n++] = a_wrong_file_is_as_none;
	tests[n++] = a_plan_is_followed_until_the_next_one_is_made;
	return tests_run("tstack", tests);
}
