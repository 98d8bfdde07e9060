/* Where an arena has room for a block that no plan foresaw, and when that is
 * ready. */
#include "plan/replay.h"
#include "run.h"

/* Three slots follow each other: low, high, and the middle. */
START_TEST(room_is_where_the_plan_needs_it_last)
{
	const struct replay_slot slots[] = {{.token = 1, .size = 4},
					    {2, 4, .offset = 8},
					    {3, 4, .offset = 4}};
	struct replay *replay = replay_open(slots, 3, 1);
	struct replay_gaps gaps = {.at = {{0, 12}}, .count = 1};
	size_t until;

	ck_assert_ptr_nonnull(replay);
	replay_begin(replay, 0);
	ck_assert_uint_eq(replay_ask(replay, 9, 4), REPLAY_NONE);
	ck_assert_uint_eq(replay_room(replay, &gaps, 4, &until), 4);
	ck_assert_uint_eq(until, 2);
	gaps = (struct replay_gaps){.at = {{0, 12}}, .count = 1};
	ck_assert_uint_eq(replay_room(replay, &gaps, 8, &until), 4);
	ck_assert_uint_eq(until, 1);
	gaps = (struct replay_gaps){.at = {{0, 12}}, .count = 1};
	ck_assert_uint_eq(replay_room(replay, &gaps, 12, &until), 0);
	ck_assert_uint_eq(until, 0);
	gaps.count = 0;
	ck_assert_uint_eq(replay_room(replay, &gaps, 4, &until), UINT64_MAX);
	replay_close(replay);
}
END_TEST

START_TEST(of_too_many_gaps_the_largest_are_kept)
{
	struct replay_gaps gaps = {.count = 0};

	for (uint64_t i = 0; i < 2 * REPLAY_GAPS; i++)
		replay_gaps_add(&gaps, 1000 * i, 1000 * i + 1 + i);
	ck_assert_uint_eq(gaps.count, REPLAY_GAPS);
	for (size_t i = 0; i < gaps.count; i++)
		ck_assert_uint_gt(gaps.at[i].end - gaps.at[i].begin,
				  REPLAY_GAPS);
}
END_TEST

/* Of several streams none has ordered all. */
START_TEST(an_age_is_the_latest_of_all)
{
	struct arena_age age = {0};

	arena_age(&age, 0, 2);
	arena_age(&age, 5, 3);
	ck_assert_uint_eq(age.epoch, 5);
	ck_assert_uint_eq(age.stream, 3);
	arena_age(&age, 0, 0);
	arena_age(&age, 4, 3);
	ck_assert_uint_eq(age.epoch, 5);
	ck_assert_uint_eq(age.stream, 3);
	arena_age(&age, 4, 2);
	ck_assert_uint_eq(age.epoch, 5);
	ck_assert_uint_eq(age.stream, 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[4]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = room_is_where_the_plan_needs_it_last;
	tests[n++] = of_too_many_gaps_the_largest_are_kept;
	tests[n++] = an_age_is_the_latest_of_all;
	return tests_run("plan_room", tests);
}
