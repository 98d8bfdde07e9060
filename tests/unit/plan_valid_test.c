/* What the last check of a plan lets through. */
#include "plan/plan.h"

#include <check.h>

#include "plan_problems.h"
#include "run.h"

enum { DRAWN = 4000 };

static bool valid(const struct plan_problem *problem, const uint64_t *offsets,
		  uint64_t *peak)
{
	bool answer;

	ck_assert_int_eq(plan_is_valid(problem, offsets, &answer, peak),
			 PLAN_DONE);
	return answer;
}

START_TEST(an_overlap_by_one_byte_for_one_moment_is_found)
{
	struct plan_buffer buffers[] = {{0, 10, 8, 0}, {9, 20, 4, 0}};
	struct plan_problem problem = {buffers, 2, 0};
	uint64_t offsets[] = {0, 7}, peak = 77;

	ck_assert(!valid(&problem, offsets, &peak));
	ck_assert_uint_eq(peak, 77);
	offsets[1] = 8;
	ck_assert(valid(&problem, offsets, &peak));
	ck_assert_uint_eq(peak, 12);
	offsets[1] = 7;
	buffers[1].lower = 10;
	ck_assert(valid(&problem, offsets, &peak));
	ck_assert_uint_eq(peak, 11);
}
END_TEST

START_TEST(an_overlap_from_below_is_found)
{
	struct plan_buffer buffers[] = {{0, 10, 8, 0}, {9, 20, 4, 0}};
	struct plan_problem problem = {buffers, 2, 0};
	uint64_t offsets[] = {3, 0}, peak;

	ck_assert(!valid(&problem, offsets, &peak));
	offsets[0] = 4;
	ck_assert(valid(&problem, offsets, &peak));
}
END_TEST

START_TEST(equal_places_at_one_time_are_an_overlap)
{
	struct plan_buffer buffers[] = {{0, 2, 8, 0}, {1, 3, 8, 0}};
	struct plan_problem problem = {buffers, 2, 0};
	uint64_t offsets[] = {8, 8}, peak;

	ck_assert(!valid(&problem, offsets, &peak));
}
END_TEST

START_TEST(an_overlap_past_the_cut_of_a_circle_is_found)
{
	struct plan_buffer buffers[] = {{8, 13, 8, 0}, {2, 5, 8, 0}};
	struct plan_problem problem = {buffers, 2, 10};
	uint64_t offsets[] = {0, 7}, peak;

	ck_assert(!valid(&problem, offsets, &peak));
	offsets[1] = 8;
	ck_assert(valid(&problem, offsets, &peak));
	offsets[1] = 0;
	buffers[1].lower = 3;
	ck_assert(valid(&problem, offsets, &peak));
	buffers[1] = (struct plan_buffer){5, 9, 8, 0};
	ck_assert(!valid(&problem, offsets, &peak));
	buffers[1].upper = 8;
	ck_assert(valid(&problem, offsets, &peak));
}
END_TEST

START_TEST(two_that_cross_the_cut_overlap)
{
	struct plan_buffer buffers[] = {{8, 11, 8, 0}, {9, 12, 8, 0}};
	struct plan_problem problem = {buffers, 2, 10};
	uint64_t offsets[] = {0, 4}, peak;

	ck_assert(!valid(&problem, offsets, &peak));
}
END_TEST

START_TEST(a_life_of_a_whole_period_does_not_meet_itself)
{
	struct plan_buffer buffer = {4, 14, 8, 0};
	struct plan_problem problem = {&buffer, 1, 10};
	uint64_t offset = 3, peak;

	ck_assert(valid(&problem, &offset, &peak));
	ck_assert_uint_eq(peak, 11);
}
END_TEST

START_TEST(an_offset_that_is_not_aligned_is_found)
{
	struct plan_buffer buffer = {0, 1, 8, 16};
	struct plan_problem problem = {&buffer, 1, 0};
	uint64_t offset = 8, peak;

	ck_assert(!valid(&problem, &offset, &peak));
	offset = 32;
	ck_assert(valid(&problem, &offset, &peak));
}
END_TEST

START_TEST(an_end_beyond_all_addresses_is_found)
{
	struct plan_buffer buffers[] = {{0, 2, 8, 0}, {1, 3, 8, 0}};
	struct plan_problem problem = {buffers, 2, 0};
	uint64_t offsets[] = {0, UINT64_MAX - 6}, peak;

	ck_assert(!valid(&problem, offsets, &peak));
}
END_TEST

/* Offsets at random, so that about half of the plans are right. */
static void compare_with_pairs(bool circle)
{
	struct draw_rules rules = {2, 6, 40, 6, circle, false};
	size_t right = 0;

	for (uint64_t seed = 0; seed < DRAWN; seed++) {
		struct drawn drawn;
		uint64_t offsets[DRAWN_MOST], peak;
		bool expected;

		problem_draw(seed, &rules, &drawn);
		for (size_t i = 0; i < drawn.problem.count; i++)
			offsets[i] = (seed * 31 + i * i * 7) % 23;
		expected = offsets_are_valid(&drawn.problem, offsets);
		ck_assert_msg(valid(&drawn.problem, offsets, &peak) == expected,
			      "seed %d", (int)seed);
		right += expected;
	}
	ck_assert_uint_gt(right, DRAWN / 10);
	ck_assert_uint_lt(right, DRAWN - DRAWN / 10);
}

START_TEST(the_sweep_says_what_all_pairs_say)
{
	compare_with_pairs(false);
}
END_TEST

START_TEST(the_sweep_says_what_all_pairs_say_on_a_circle)
{
	compare_with_pairs(true);
}
END_TEST

/* What lives on a circle lives again and again in a time without end. */
START_TEST(a_circle_is_its_periods_one_after_the_other)
{
	struct draw_rules rules = {2, 6, 40, 6, true, false};

	for (uint64_t seed = 0; seed < DRAWN; seed++) {
		struct plan_buffer unrolled[3 * DRAWN_MOST];
		struct plan_problem line = {unrolled, 0, 0};
		uint64_t offsets[3 * DRAWN_MOST], peak;
		struct drawn drawn;
		size_t count;

		problem_draw(seed, &rules, &drawn);
		count = drawn.problem.count;
		for (size_t i = 0; i < 3 * count; i++) {
			uint64_t later = i / count * drawn.problem.period;

			unrolled[i] = drawn.buffers[i % count];
			unrolled[i].lower += later;
			unrolled[i].upper += later;
			offsets[i] = (seed * 31 + i % count * 9) % 23;
		}
		line.count = 3 * count;
		ck_assert_int_eq(valid(&drawn.problem, offsets, &peak),
				 valid(&line, offsets, &peak));
	}
}
END_TEST

static void is_wrong(struct plan_buffer buffer, uint64_t period)
{
	struct plan_problem problem = {&buffer, 1, period};
	struct plan_options options = {.seconds = 1};
	uint64_t offset = 0, value = 77;
	struct plan plan = {.peak = 77};
	bool answer;

	ck_assert_int_eq(plan_is_valid(&problem, &offset, &answer, &value),
			 PLAN_WRONG);
	ck_assert_int_eq(plan_bound(&problem, &value), PLAN_WRONG);
	ck_assert_int_eq(plan_solve(&problem, &options, &plan), PLAN_WRONG);
	ck_assert_uint_eq(value, 77);
	ck_assert_uint_eq(plan.peak, 77);
}

START_TEST(a_problem_that_breaks_a_rule_is_refused)
{
	const uint64_t most = UINT64_C(1) << 48;

	is_wrong((struct plan_buffer){1, 1, 1, 1}, 0);
	is_wrong((struct plan_buffer){2, 1, 1, 1}, 0);
	is_wrong((struct plan_buffer){0, 1, 0, 1}, 0);
	is_wrong((struct plan_buffer){0, 1, most + 1, 1}, 0);
	is_wrong((struct plan_buffer){0, 1, 1, 3}, 0);
	is_wrong((struct plan_buffer){0, 1, 1, 2 * most}, 0);
	is_wrong((struct plan_buffer){10, 11, 1, 1}, 10);
	is_wrong((struct plan_buffer){3, 14, 1, 1}, 10);
}
END_TEST

START_TEST(sizes_that_add_up_to_too_much_are_refused)
{
	static struct plan_buffer buffers[1 << 15];
	struct plan_problem problem = {buffers, 1 << 15, 0};
	uint64_t bound;

	for (size_t i = 0; i < 1 << 15; i++)
		buffers[i] =
			(struct plan_buffer){i, i + 1, UINT64_C(1) << 48, 0};
	ck_assert_int_eq(plan_bound(&problem, &bound), PLAN_WRONG);
	problem.count--;
	ck_assert_int_eq(plan_bound(&problem, &bound), PLAN_DONE);
	ck_assert_uint_eq(bound, UINT64_C(1) << 48);
}
END_TEST

START_TEST(the_bound_is_what_lives_at_one_time)
{
	struct plan_buffer buffers[] = {
		{0, 5, 10, 0}, {5, 9, 20, 0}, {4, 6, 3, 0}, {8, 12, 5, 0}};
	struct plan_problem problem = {buffers, 4, 0};
	uint64_t bound;

	ck_assert_int_eq(plan_bound(&problem, &bound), PLAN_DONE);
	ck_assert_uint_eq(bound, 25);
	problem.period = 10;
	buffers[0].size = 21;
	ck_assert_int_eq(plan_bound(&problem, &bound), PLAN_DONE);
	ck_assert_uint_eq(bound, 26);
}
END_TEST

int main(void)
{
	static const TTest *tests[16];
	size_t n = 0;

	tests[n++] = an_overlap_by_one_byte_for_one_moment_is_found;
	tests[n++] = an_overlap_from_below_is_found;
	tests[n++] = equal_places_at_one_time_are_an_overlap;
	tests[n++] = an_overlap_past_the_cut_of_a_circle_is_found;
	tests[n++] = two_that_cross_the_cut_overlap;
	tests[n++] = a_life_of_a_whole_period_does_not_meet_itself;
	tests[n++] = an_offset_that_is_not_aligned_is_found;
	tests[n++] = an_end_beyond_all_addresses_is_found;
	tests[n++] = the_sweep_says_what_all_pairs_say;
	tests[n++] = the_sweep_says_what_all_pairs_say_on_a_circle;
	tests[n++] = a_circle_is_its_periods_one_after_the_other;
	tests[n++] = a_problem_that_breaks_a_rule_is_refused;
	tests[n++] = sizes_that_add_up_to_too_much_are_refused;
	tests[n++] = the_bound_is_what_lives_at_one_time;
	return tests_run("plan_valid", tests);
}
