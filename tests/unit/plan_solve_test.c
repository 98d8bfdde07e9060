/* What a plan promises, for many drawn problems. */
#include "plan/plan.h"

#include <check.h>
#include <string.h>

#include "../bench/tilings.h"
#include "plan_problems.h"
#include "run.h"

enum { DRAWN = 1500, SMALL = 6, TILES = 120 };

static const double long_enough = 1e6; /* seconds: other things end a search */

static bool stop_at_once(void *argument)
{
	++*(int *)argument;
	return true;
}

/* Solves, and checks what is true of every plan. */
static struct plan solve(const struct plan_problem *problem,
			 const struct plan_options *options)
{
	struct plan plan;
	uint64_t bound, peak = 0;

	ck_assert_int_eq(plan_solve(problem, options, &plan), PLAN_DONE);
	ck_assert(offsets_are_valid(problem, plan.offsets));
	for (size_t i = 0; i < problem->count; i++) {
		uint64_t top = plan.offsets[i] + problem->buffers[i].size;

		peak = top > peak ? top : peak;
	}
	ck_assert_uint_eq(plan.peak, peak);
	ck_assert_int_eq(plan_bound(problem, &bound), PLAN_DONE);
	ck_assert_uint_ge(plan.bound, bound);
	ck_assert_uint_ge(plan.peak, plan.bound);
	return plan;
}

/* The search ends only with what cannot be better. */
static void is_best(const struct draw_rules *rules)
{
	const struct plan_options options = {.seconds = long_enough};

	for (uint64_t seed = 0; seed < DRAWN; seed++) {
		struct drawn drawn;
		struct plan plan;

		problem_draw(seed, rules, &drawn);
		plan = solve(&drawn.problem, &options);
		ck_assert_uint_eq(plan.peak, plan.bound);
		ck_assert_msg(plan.peak == peak_of_best(&drawn.problem),
			      "seed %d", (int)seed);
		plan_release(&plan);
	}
}

START_TEST(a_small_problem_has_its_best_plan)
{
	is_best(&(struct draw_rules){1, SMALL, 12, 9, false, false});
}
END_TEST

START_TEST(a_small_problem_on_a_circle_has_its_best_plan)
{
	is_best(&(struct draw_rules){1, SMALL, 12, 9, true, false});
}
END_TEST

START_TEST(a_small_problem_with_alignment_has_its_best_plan)
{
	is_best(&(struct draw_rules){1, SMALL, 12, 40, false, true});
}
END_TEST

START_TEST(a_small_problem_of_all_kinds_has_its_best_plan)
{
	is_best(&(struct draw_rules){1, SMALL, 8, 40, true, true});
}
END_TEST

START_TEST(a_stopped_search_still_has_a_plan)
{
	struct draw_rules rules = {1, DRAWN_MOST, 90, 5000, false, true};

	for (uint64_t seed = 0; seed < DRAWN; seed++) {
		int asked = 0;
		struct plan_options options = {.seconds = long_enough,
					       .stop = stop_at_once,
					       .argument = &asked};
		struct drawn drawn;
		struct plan plan;

		rules.circle = seed % 2;
		problem_draw(seed, &rules, &drawn);
		plan = solve(&drawn.problem, &options);
		/* Whoever wants to stop is not asked again and again. */
		ck_assert_int_le(asked, 1);
		plan_release(&plan);
	}
}
END_TEST

START_TEST(no_time_is_enough_for_a_plan)
{
	struct draw_rules rules = {DRAWN_MOST, DRAWN_MOST, 50,
				   5000,       false,      false};
	struct plan_options options = {.seconds = 0};
	struct drawn drawn;
	struct plan plan;

	problem_draw(1, &rules, &drawn);
	plan = solve(&drawn.problem, &options);
	plan_release(&plan);
}
END_TEST

/* What a capacity lets the search end with. */
START_TEST(a_peak_that_is_good_enough_ends_the_search)
{
	struct draw_rules rules = {DRAWN_MOST, DRAWN_MOST, 60,
				   5000,       false,      false};

	for (uint64_t seed = 0; seed < 100; seed++) {
		struct plan_options options = {.seconds = long_enough};
		struct drawn drawn;
		struct plan plan;
		uint64_t bound;

		rules.circle = seed % 2;
		problem_draw(seed, &rules, &drawn);
		ck_assert_int_eq(plan_bound(&drawn.problem, &bound), PLAN_DONE);
		options.capacity = bound + bound / 8;
		plan = solve(&drawn.problem, &options);
		ck_assert_uint_le(plan.peak, options.capacity);
		plan_release(&plan);
	}
}
END_TEST

static bool stop_later(void *argument)
{
	return --*(int *)argument < 0;
}

START_TEST(a_seed_decides_the_plan)
{
	struct draw_rules rules = {DRAWN_MOST, DRAWN_MOST, 60,
				   100000,     false,      false};

	for (uint64_t seed = 0; seed < 50; seed++) {
		struct drawn drawn;
		struct plan plans[2];

		rules.circle = seed % 2;
		problem_draw(seed, &rules, &drawn);
		for (int i = 0; i < 2; i++) {
			int asks = 60;
			struct plan_options options = {.seconds = long_enough,
						       .seed = seed,
						       .stop = stop_later,
						       .argument = &asks};

			plans[i] = solve(&drawn.problem, &options);
		}
		ck_assert_mem_eq(plans[0].offsets, plans[1].offsets,
				 DRAWN_MOST * sizeof *plans[0].offsets);
		plan_release(&plans[0]);
		plan_release(&plans[1]);
	}
}
END_TEST

START_TEST(a_tiling_is_found)
{
	static struct plan_buffer tiles[TILES];
	const struct plan_problem problem = {tiles, TILES, 0};
	const struct plan_options options = {.seconds = long_enough};

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct plan plan;

		tiling_draw(seed, tiles, TILES, 1 << 16, 1 << 16);
		plan = solve(&problem, &options);
		ck_assert_uint_eq(plan.peak, 1 << 16);
		plan_release(&plan);
	}
}
END_TEST

struct told {
	uint64_t peak, bound;
};

static void note_better(void *argument, uint64_t peak, uint64_t bound)
{
	struct told *told = argument;

	ck_assert_uint_lt(peak, told->peak);
	ck_assert_uint_ge(peak, bound);
	*told = (struct told){peak, bound};
}

START_TEST(each_better_peak_is_told)
{
	struct draw_rules rules = {SMALL, SMALL, 12, 9, false, false};

	for (uint64_t seed = 0; seed < 100; seed++) {
		struct told told = {UINT64_MAX, 0};
		struct plan_options options = {.seconds = long_enough,
					       .better = note_better,
					       .argument = &told};
		struct drawn drawn;
		struct plan plan;

		problem_draw(seed, &rules, &drawn);
		plan = solve(&drawn.problem, &options);
		ck_assert_uint_eq(told.peak, plan.peak);
		plan_release(&plan);
	}
}
END_TEST

START_TEST(sizes_may_be_as_large_as_they_are_allowed)
{
	const uint64_t most = UINT64_C(1) << 48;
	struct plan_buffer buffers[] = {{0, 3, most, 0},
					{2, 5, most - 1, most},
					{4, 7, most - 3, 0},
					{6, 9, most - 7, 2}};
	const struct plan_problem problem = {buffers, 4, 0};
	const struct plan_options options = {.seconds = long_enough};
	struct plan plan = solve(&problem, &options);

	ck_assert_uint_eq(plan.peak, 2 * most - 1);
	plan_release(&plan);
}
END_TEST

START_TEST(no_buffers_need_no_addresses)
{
	const struct plan_problem problem = {NULL, 0, 0};
	const struct plan_options options = {.seconds = 1};
	struct plan plan = solve(&problem, &options);

	ck_assert_uint_eq(plan.peak, 0);
	plan_release(&plan);
	ck_assert_ptr_null(plan.offsets);
}
END_TEST

int main(void)
{
	static const TTest *tests[16];
	size_t n = 0;

	tests[n++] = a_small_problem_has_its_best_plan;
	tests[n++] = a_small_problem_on_a_circle_has_its_best_plan;
	tests[n++] = a_small_problem_with_alignment_has_its_best_plan;
	tests[n++] = a_small_problem_of_all_kinds_has_its_best_plan;
	tests[n++] = a_stopped_search_still_has_a_plan;
	tests[n++] = no_time_is_enough_for_a_plan;
	tests[n++] = a_peak_that_is_good_enough_ends_the_search;
	tests[n++] = a_seed_decides_the_plan;
	tests[n++] = a_tiling_is_found;
	tests[n++] = each_better_peak_is_told;
	tests[n++] = sizes_may_be_as_large_as_they_are_allowed;
	tests[n++] = no_buffers_need_no_addresses;
	return tests_run("plan_solve", tests);
}
