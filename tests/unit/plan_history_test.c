#include "plan/history.h"
#include "draw.h"
#include "run.h"

enum { ROOM = 64, ASKED = 5000 };

static struct history history;

START_TEST(a_request_is_known_by_its_serial)
{
	uint64_t one, two;

	ck_assert(history_open(&history, ROOM));
	one = history_alloc(&history, 11, 512);
	two = history_alloc(&history, 22, 1024);
	ck_assert_uint_eq(two, one + 1);
	ck_assert_uint_eq(history_token_at(&history, one), 11);
	ck_assert_uint_eq(history_token_at(&history, two), 22);
	ck_assert_uint_eq(history_size(&history, one), 512);
	ck_assert_uint_eq(history_size(&history, two), 1024);
	ck_assert_uint_eq(history_level(&history, one), 0);
	ck_assert_uint_eq(history_level(&history, two), 512);
	ck_assert_uint_eq(history.live, 1536);
	history_close(&history);
}
END_TEST

START_TEST(a_life_is_counted_in_requests)
{
	uint64_t one, two;

	ck_assert(history_open(&history, ROOM));
	one = history_alloc(&history, 1, 1);
	two = history_alloc(&history, 2, 1);
	ck_assert_uint_eq(history_life(&history, two), 0);
	history_free(&history, two);
	history_free(&history, one);
	ck_assert_uint_eq(history_life(&history, two), 1);
	ck_assert_uint_eq(history_life(&history, one), 2);
	history_close(&history);
}
END_TEST

START_TEST(a_buffer_is_freed_once)
{
	uint64_t one;

	ck_assert(history_open(&history, ROOM));
	one = history_alloc(&history, 1, 512);
	history_alloc(&history, 1, 1024);
	history_free(&history, one);
	history_alloc(&history, 1, 2048);
	history_free(&history, one);
	ck_assert_uint_eq(history.live, 3072);
	ck_assert_uint_eq(history.freed, 1);
	ck_assert_uint_eq(history_life(&history, one), 2);
	history_close(&history);
}
END_TEST

START_TEST(serials_that_are_not_known_change_nothing)
{
	ck_assert(history_open(&history, ROOM));
	for (int i = 0; i < ROOM + 10; i++)
		history_alloc(&history, 1, 512);
	ck_assert_uint_eq(history.first, 10);
	history_free(&history, 9);
	history_free(&history, ROOM + 10);
	history_free(&history, UINT64_MAX);
	ck_assert_uint_eq(history.freed, 0);
	history_free(&history, 10);
	ck_assert_uint_eq(history.freed, 1);
	history_close(&history);
}
END_TEST

START_TEST(what_is_forgotten_leaves_the_rest_as_it_was)
{
	uint64_t random = 1, sizes[ASKED], sum = 0;

	ck_assert(history_open(&history, ROOM));
	for (int i = 0; i < ASKED; i++) {
		uint64_t from;

		sizes[i] = 512 * (1 + draw(&random, 4000));
		sum += sizes[i];
		history_alloc(&history, (uint32_t)i, sizes[i]);
		from = i < ROOM ? 0 : (uint64_t)i + 1 - ROOM;
		ck_assert_uint_eq(history.first, from);
		ck_assert_uint_eq(history_token_at(&history, from), from);
		ck_assert_uint_eq(history_size(&history, from), sizes[from]);
		ck_assert_uint_eq(history_size(&history, (uint64_t)i),
				  sizes[i]);
	}
	ck_assert_uint_eq(history.total, sum);
	history_close(&history);
}
END_TEST

START_TEST(what_lives_is_what_was_not_freed)
{
	uint64_t random = 7, sizes[ASKED], live = 0;
	bool freed[ASKED] = {false};

	ck_assert(history_open(&history, ASKED));
	for (uint64_t i = 0; i < ASKED; i++) {
		uint64_t old = draw(&random, i + 1);

		sizes[i] = 512 * (1 + draw(&random, 4000));
		ck_assert_uint_eq(history_alloc(&history, 1, sizes[i]), i);
		ck_assert_uint_eq(history_level(&history, i), live);
		live += sizes[i];
		history_free(&history, old);
		if (!freed[old])
			live -= sizes[old];
		freed[old] = true;
		ck_assert_uint_eq(history.live, live);
	}
	history_close(&history);
}
END_TEST

START_TEST(matches_are_those_of_a_plain_comparison)
{
	uint64_t random = 3;

	ck_assert(history_open(&history, 256));
	for (int i = 0; i < 1000; i++)
		history_alloc(&history, (uint32_t)draw(&random, 2), 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t lag = 1 + draw(&random, 100);
		uint64_t begin = history.first + lag + draw(&random, 100);
		uint64_t limit = draw(&random, 40);
		uint64_t end = history.count - draw(&random, 10);
		uint64_t at = begin, equal = 0;

		while (at < end && history_token_at(&history, at) ==
					   history_token_at(&history, at - lag))
			at++;
		ck_assert_uint_eq(history_differs(&history, begin, end, lag),
				  at);
		while (equal < limit && end - equal > history.first + lag &&
		       history_token_at(&history, end - 1 - equal) ==
			       history_token_at(&history,
						end - 1 - equal - lag))
			equal++;
		ck_assert_uint_eq(history_match_back(&history, end, lag, limit),
				  equal);
	}
	history_close(&history);
}
END_TEST

START_TEST(a_match_does_not_reach_beyond_what_is_known)
{
	ck_assert(history_open(&history, ROOM));
	for (int i = 0; i < 40; i++)
		history_alloc(&history, 1, 1);
	ck_assert_uint_eq(history_match_back(&history, 40, 10, 1000), 30);
	ck_assert_uint_eq(history_match_back(&history, 40, 40, 1000), 0);
	ck_assert_uint_eq(history_match_back(&history, 40, 50, 1000), 0);
	history_close(&history);
}
END_TEST

START_TEST(what_was_foretold_is_noted_as_it_is_said)
{
	enum { ASKED_FIRST = 20 };

	ck_assert(history_open(&history, ROOM));
	for (uint32_t i = 0; i < ASKED_FIRST; i++)
		history_alloc(&history, i, 512);
	for (uint32_t i = 0; i < 3 * ROOM; i++) {
		uint64_t serial = ASKED_FIRST + i;

		history_foretold(&history, i, 512 + i, 7 + i, 1000 + i);
		ck_assert_uint_eq(history.count, serial + 1);
		ck_assert_uint_eq(history_token_at(&history, serial), i);
		ck_assert_uint_eq(history_size(&history, serial), 512 + i);
		ck_assert_uint_eq(history_life(&history, serial), 7 + i);
		ck_assert_uint_eq(history_level(&history, serial), 1000 + i);
		ck_assert_uint_eq(*history_notes(&history, serial),
				  HISTORY_KEPT);
		history_free(&history, serial); /* has no say */
		ck_assert_uint_eq(history_life(&history, serial), 7 + i);
	}
	ck_assert_uint_eq(history.live, ASKED_FIRST * 512);
	ck_assert_uint_eq(history.freed, 0);
	history_close(&history);
}
END_TEST

START_TEST(what_lives_on_is_freed_when_it_is)
{
	ck_assert(history_open(&history, ROOM));
	history_alloc(&history, 1, 512);
	history_foretold(&history, 2, 1024, 1, 0);
	history_alloc(&history, 3, 512);
	history_live_on(&history, 1);
	ck_assert_uint_eq(history_life(&history, 1), 0);
	ck_assert_uint_eq(history.live, 2048);
	history_alloc(&history, 4, 512);
	history_free(&history, 1);
	ck_assert_uint_eq(history_life(&history, 1), 3);
	ck_assert_uint_eq(history.live, 1536);
	for (int i = 0; i < ROOM; i++)
		history_alloc(&history, 5, 512);
	history_live_on(&history, 1); /* it is not known any more */
	ck_assert_uint_eq(history.live, 1536 + 512 * ROOM);
	history_close(&history);
}
END_TEST

START_TEST(tokens_tell_sizes_and_streams_apart)
{
	enum { SIZES = 2000, STREAMS = 3 };
	static uint32_t tokens[SIZES * STREAMS];

	for (uint32_t i = 0; i < SIZES * STREAMS; i++)
		tokens[i] = history_token(512 * (i / STREAMS), i % STREAMS);
	for (uint32_t i = 0; i < SIZES * STREAMS; i++)
		for (uint32_t j = 0; j < i; j++)
			if (tokens[i] == tokens[j])
				ck_abort_msg("%u and %u have one token", i, j);
}
END_TEST

START_TEST(more_than_can_be_counted_is_refused)
{
	ck_assert(!history_open(&history, UINT64_MAX));
	ck_assert(!history_open(&history, (UINT64_C(1) << 30) + 1));
}
END_TEST

int main(void)
{
	return tests_run("plan_history",
			 (const TTest *const[]){
				 a_request_is_known_by_its_serial,
				 a_life_is_counted_in_requests,
				 a_buffer_is_freed_once,
				 serials_that_are_not_known_change_nothing,
				 what_is_forgotten_leaves_the_rest_as_it_was,
				 what_lives_is_what_was_not_freed,
				 matches_are_those_of_a_plain_comparison,
				 a_match_does_not_reach_beyond_what_is_known,
				 what_was_foretold_is_noted_as_it_is_said,
				 what_lives_on_is_freed_when_it_is,
				 tokens_tell_sizes_and_streams_apart,
				 more_than_can_be_counted_is_refused, NULL});
}
