#include "drawn.h"

/* The size of a request of the period, which began with an iteration at the
 * first of all requests. */
static size_t size_of(uint64_t at)
{
	return part.buffers[(found()->first + at) % part.count].size;
}

static uint32_t token_of(uint64_t at)
{
	return history_token(size_of(at), 0);
}

static void foretold(uint64_t position, uint64_t count)
{
	for (; count; position++, count--)
		finder_foretold(program.finder, 1, token_of(position),
				size_of(position), 1, 0);
}

START_TEST(marks_are_where_a_period_begins)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t start;

		drawn(seed, ROOM);
		played(&init, 1);
		start = asked();
		for (int i = 0; i < 5; i++) {
			finder_mark(program.finder);
			played(&part, 1);
		}
		ck_assert_uint_eq(found()->number, 1);
		ck_assert_uint_eq(found()->length, part.count);
		ck_assert_uint_eq((found()->first - start) % part.count, 0);
		ck_assert_uint_le(found()->found,
				  start + 3 * (uint64_t)part.count);
		closed();
	}
}
END_TEST

START_TEST(marks_that_come_twice_are_one)
{
	drawn(1, ROOM);
	for (int i = 0; i < 5; i++) {
		finder_mark(program.finder);
		finder_mark(program.finder);
		played(&part, 1);
	}
	ck_assert_uint_eq(found()->number, 1);
	ck_assert_uint_eq(found()->length, part.count);
	closed();
}
END_TEST

START_TEST(marks_find_what_repeats_after_several_iterations)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 100, 5);
		for (int i = 0; i < 20; i++) {
			finder_mark(program.finder);
			played(i % 5 == 4 ? &other : &part, 1);
		}
		ck_assert_uint_eq(found()->length,
				  4 * part.count + other.count);
		closed();
	}
}
END_TEST

START_TEST(marks_that_come_no_more_are_forgotten)
{
	drawn(1, ROOM);
	finder_mark(program.finder);
	while (asked() + part.count < ROOM / 8)
		played(&part, 1);
	ck_assert_uint_eq(found()->number, 0);
	played(&part, 5);
	ck_assert_uint_eq(found()->number, 1);
	ck_assert_uint_eq(found()->length, part.count);
	closed();
}
END_TEST

/* Plays iterations as for a pool that serves what was foretold by itself. The
 * first of all requests began one. */
static void played_unseen(const struct program_part *next, int times)
{
	uint64_t length = found()->length;
	uint64_t position = (length - found()->first % length) % length;

	for (int i = 0; i < times; i++) {
		program.unseen = true;
		played(next, 1);
		program.unseen = false;
	}
	foretold(position, (uint64_t)times * (uint64_t)next->count);
}

START_TEST(what_was_not_fed_counts_as_foretold)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		uint64_t count;

		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 100, 5);
		played(&part, 5);
		ck_assert_uint_eq(found()->number, 1);
		for (int i = 0; i < 5 && found()->number < 2; i++) {
			count = asked();
			played_unseen(&part, 7);
			ck_assert_uint_eq(asked(),
					  count + 7 * (uint64_t)part.count);
			played(&other, 1);
		}
		ck_assert_uint_eq(found()->number, 2);
		ck_assert_uint_eq(found()->length,
				  7 * part.count + other.count);
		closed();
	}
}
END_TEST

START_TEST(more_can_be_foretold_than_is_remembered)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t count;

		drawn(seed, 1 << 14);
		played(&part, 5);
		ck_assert_uint_eq(found()->number, 1);
		for (uint64_t times = 1; times < 400; times *= 3) {
			count = asked();
			foretold((count - found()->first) % part.count,
				 times * part.count);
			ck_assert_uint_eq(asked(), count + times * part.count);
			played(&part, 2);
		}
		ck_assert_uint_eq(found()->number, 1);
		program_close(&program);
	}
}
END_TEST

START_TEST(what_went_by_is_noted_as_it_was_foretold)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct history *history;

		drawn(seed, 1 << 14);
		played(&part, 5);
		ck_assert_uint_eq(found()->number, 1);
		history = finder_history(program.finder);
		for (uint64_t times = 1; times < 100000; times *= 7) {
			uint64_t position = times % part.count;
			uint64_t missed = 0;

			foretold(position, times);
			for (uint64_t i = 1; i <= times && i < 4096; i++)
				missed += history_token_at(history,
							   asked() - i) !=
					  token_of(position + times - i);
			ck_assert_uint_eq(missed, 0);
		}
		program_close(&program);
	}
}
END_TEST

START_TEST(after_a_period_was_dropped_another_is_found)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_add_training(&other, &program.random);
		played(&part, 20);
		ck_assert_uint_eq(found()->number, 1);
		finder_relearn(program.finder);
		/* What the old ones had left lives on for a while. */
		played(&other, 8);
		ck_assert_uint_ge(found()->number, 2);
		ck_assert_uint_eq(found()->length, other.count);
		closed();
	}
}
END_TEST

START_TEST(a_period_that_was_dropped_is_found_again)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 100, 5);
		for (uint64_t number = 1; number < 4; number++) {
			played(&part, 5);
			ck_assert_uint_eq(found()->number, number);
			ck_assert_uint_eq(found()->length, part.count);
			if (number == 2)
				played(&other, 1);
			finder_relearn(program.finder);
		}
		closed();
	}
}
END_TEST

/* Nowhere in it does anything else repeat that would suggest it anew. */
START_TEST(a_period_without_loops_is_found_again)
{
	drawn(1, ROOM);
	part_add_random(&other, &program.random, 300, 20);
	for (uint64_t number = 1; number < 4; number++) {
		played(&other, 5);
		ck_assert_uint_eq(found()->number, number);
		ck_assert_uint_eq(found()->length, other.count);
		finder_relearn(program.finder);
	}
	closed();
}
END_TEST

START_TEST(memory_is_bounded)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		drawn(seed, 1 << 14);
		part.count = part.count < 1000 ? part.count : 1000;
		for (int i = 0; i < 100; i++) {
			part_add_random(&other, &program.random, 300, 20);
			played(&other, 1);
			other.count = 0;
		}
		for (int i = 0; i < 1000 && found()->length != part.count; i++)
			played(&part, 1);
		ck_assert_uint_eq(program.finder->history.mask, (1 << 14) - 1);
		ck_assert_uint_eq(found()->length, part.count);
		closed();
	}
}
END_TEST

START_TEST(a_program_without_period_is_listened_to_less_and_less)
{
	uint64_t awake[6] = {0};

	drawn(1, 1 << 12);
	for (int i = 0; i < 6 << 16; i++) {
		uint64_t *random = &program.random;
		const struct program_buffer buffer = {
			.size = program_size(random),
			.life = 1 + (uint32_t)draw(random, 40)};

		program_step(&program, &buffer);
		awake[i >> 16] += program.finder->wake <= asked();
	}
	ck_assert_uint_gt(awake[0], 0);
	ck_assert_uint_lt(awake[3] + awake[4] + awake[5], awake[0]);
	closed();
}
END_TEST

START_TEST(a_period_that_comes_late_is_found)
{
	drawn(5, 1 << 14);
	for (int i = 0; i < 200; i++) {
		part_add_random(&other, &program.random, 300, 20);
		played(&other, 1);
		other.count = 0;
	}
	for (int i = 0; i < 2000 && found()->length != part.count; i++)
		played(&part, 1);
	ck_assert_uint_eq(found()->length, part.count);
	closed();
}
END_TEST

START_TEST(a_short_loop_is_taken_several_times)
{
	drawn(1, ROOM);
	part_add_random(&other, &program.random, 3, 2);
	played(&other, 100);
	ck_assert_uint_eq(found()->number, 1);
	ck_assert_uint_eq(found()->length % 3, 0);
	ck_assert_uint_ge(found()->length, 32);
	closed();
}
END_TEST

START_TEST(nothing_is_asked_of_an_empty_history)
{
	drawn(1, ROOM);
	ck_assert_uint_eq(found()->number, 0);
	for (int i = 0; i < 100; i++)
		finder_mark(program.finder);
	finder_free(program.finder, 0);
	finder_free(program.finder, UINT64_MAX);
	finder_relearn(program.finder);
	ck_assert_uint_eq(asked(), 0);
	closed();
	finder_close(NULL);
	ck_assert_ptr_null(finder_open(UINT64_MAX));
}
END_TEST

int main(void)
{
	return tests_run(
		"plan_finder",
		(const TTest *const[]){
			marks_are_where_a_period_begins,
			marks_that_come_twice_are_one,
			marks_find_what_repeats_after_several_iterations,
			marks_that_come_no_more_are_forgotten,
			what_was_not_fed_counts_as_foretold,
			more_can_be_foretold_than_is_remembered,
			after_a_period_was_dropped_another_is_found,
			a_period_that_was_dropped_is_found_again,
			a_period_without_loops_is_found_again,
			what_went_by_is_noted_as_it_was_foretold,
			memory_is_bounded,
			a_program_without_period_is_listened_to_less_and_less,
			a_period_that_comes_late_is_found,
			a_short_loop_is_taken_several_times,
			nothing_is_asked_of_an_empty_history, NULL});
}
