#include "plan/follow.h"
#include "drawn.h"

static struct cycle cycle;
static struct follow follow;

/* Draws a program, and follows it from the start of an iteration on. */
static void followed(uint64_t seed)
{
	drawn(seed, ROOM);
	played(&part, 5);
	ck_assert_uint_eq(found()->length, part.count);
	ck_assert(cycle_make(&cycle, finder_history(program.finder), found()));
	ck_assert(follow_open(&follow, &cycle, asked() - found()->first));
}

static void left(void)
{
	follow_close(&follow);
	cycle_release(&cycle);
	program_close(&program);
}

/* The place in the program's iteration of a request of the cycle. */
static uint64_t position(size_t request)
{
	return (found()->first + request) % part.count;
}

static uint32_t token(unsigned int at)
{
	return history_token(part.buffers[at % part.count].size, 0);
}

/* A request that the program has not. */
static uint32_t foreign(void)
{
	return history_token(program_size(&program.random) + 1, 0);
}

START_TEST(each_request_is_found_where_it_stands)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		followed(seed);
		for (unsigned int at = 0; at < 5 * part.count; at++) {
			size_t request = follow_next(&follow, token(at));

			if (request == FOLLOW_NONE ||
			    position(request) != at % part.count)
				ck_abort_msg("request %u", at);
		}
		left();
	}
}
END_TEST

START_TEST(iterations_are_counted)
{
	uint64_t lap;

	followed(1);
	lap = follow.lap;
	for (unsigned int at = 0; at < 3 * part.count; at++)
		follow_next(&follow, token(at));
	ck_assert_uint_eq(follow.lap, lap + 3);
	left();
}
END_TEST

START_TEST(what_comes_besides_is_none_and_changes_nothing)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		followed(seed);
		for (unsigned int at = 0; at < 5 * part.count; at++) {
			unsigned int more =
				at % 11 ? 0 : (unsigned int)(at % 7);

			while (more--)
				if (follow_next(&follow, foreign()) !=
				    FOLLOW_NONE)
					ck_abort_msg("a foreign request");
			if (position(follow_next(&follow, token(at))) !=
			    at % part.count)
				ck_abort_msg("request %u", at);
		}
		left();
	}
}
END_TEST

START_TEST(a_request_of_the_same_size_as_a_later_one_does_no_harm)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int missed = 0;

		followed(seed);
		for (unsigned int at = 0; at < 5 * part.count; at++) {
			if (at % 97 == 50)
				follow_next(&follow, token(at + 2));
			missed +=
				follow_next(&follow, token(at)) == FOLLOW_NONE;
		}
		ck_assert_uint_le(missed, 5 * part.count / 20);
		left();
	}
}
END_TEST

START_TEST(requests_that_do_not_come_are_jumped_over)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int all = 0, missed = 0;

		followed(seed);
		for (unsigned int at = 0; at < 10 * part.count; at++) {
			if (at % 31 == 3)
				continue;
			all++;
			missed +=
				follow_next(&follow, token(at)) == FOLLOW_NONE;
		}
		ck_assert_uint_le(missed, all / 50);
		left();
	}
}
END_TEST

START_TEST(after_something_else_it_finds_its_way_back)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int at, lost = 0;

		followed(seed);
		for (at = 0; at < part.count / 2; at++)
			follow_next(&follow, token(at));
		for (unsigned int i = 0; i < 100; i++)
			follow_next(&follow, foreign());
		/* The program begins its next iteration. */
		for (at = 0; at < part.count; at++)
			lost += follow_next(&follow, token(at)) == FOLLOW_NONE;
		ck_assert_uint_le(lost, 16);
		for (at = 0; at < part.count; at++)
			if (position(follow_next(&follow, token(at))) != at)
				ck_abort_msg("request %u", at);
		left();
	}
}
END_TEST

START_TEST(nothing_is_followed_without_requests)
{
	struct cycle empty = {.length = 1};

	ck_assert(!follow_open(&follow, &empty, 0));
}
END_TEST

int main(void)
{
	return tests_run(
		"plan_follow",
		(const TTest *const[]){
			each_request_is_found_where_it_stands,
			iterations_are_counted,
			what_comes_besides_is_none_and_changes_nothing,
			a_request_of_the_same_size_as_a_later_one_does_no_harm,
			requests_that_do_not_come_are_jumped_over,
			after_something_else_it_finds_its_way_back,
			nothing_is_followed_without_requests, NULL});
}
