#include "drawn.h"

/* How many requests of the period are other ones an iteration later. */
static uint64_t differing(void)
{
	const struct history *history = finder_history(program.finder);
	const struct period *period = found();
	uint64_t count = 0;

	ck_assert_uint_le(period->first + 2 * period->length, history->count);
	for (uint64_t i = 0; i < period->length; i++) {
		uint64_t at = period->first + i, next = at + period->length;

		count += history_token_at(history, at) !=
				 history_token_at(history, next) ||
			 history_size(history, at) !=
				 history_size(history, next);
	}
	return count;
}

START_TEST(a_period_is_found_within_three_equal_iterations)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		played(&init, 1);
		played(&part, 1);
		played(&once, 1);
		played(&part, 3);
		ck_assert_uint_eq(found()->number, 1);
		ck_assert_uint_eq(found()->length, part.count);
		ck_assert(found()->exact);
		played(&part, 1);
		ck_assert_uint_eq(differing(), 0);
		closed();
	}
}
END_TEST

START_TEST(a_period_that_holds_is_the_only_one)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		played(&init, 1);
		for (int i = 0; i < 60; i++) {
			played(&part, 1);
			if (found()->number)
				ck_assert_uint_eq(found()->length, part.count);
		}
		ck_assert_uint_eq(found()->number, 1);
		closed();
	}
}
END_TEST

START_TEST(layers_without_gradients_are_no_period_for_long)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 40, 3);
		for (int i = 0; i < 24; i++)
			part_append(&whole, &other);
		part_add_random(&whole, &program.random, 60, 3);
		played(&whole, 12);
		ck_assert_uint_eq(found()->length, whole.count);
		played(&whole, 20);
		ck_assert_uint_eq(found()->length, whole.count);
		ck_assert_uint_le(found()->number, 2);
		closed();
	}
}
END_TEST

START_TEST(the_larger_period_of_accumulated_gradients_is_found)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int times = 2 + (unsigned int)(seed % 7);

		drawn(seed, ROOM);
		part_add_temporaries(&other, &program.random, 30);
		part_add_random(&other, &program.random, 20, 10);
		played(&init, 1);
		for (int i = 0; i < 10; i++) {
			played(&part, (int)times);
			played(&other, 1);
			if (i < 3)
				continue;
			ck_assert_uint_eq(found()->length,
					  times * part.count + other.count);
			if (i == 3)
				ck_assert_uint_eq(differing(), 0);
		}
		ck_assert_uint_le(found()->number, 2);
		closed();
	}
}
END_TEST

START_TEST(an_evaluation_now_and_then_becomes_part_of_the_period)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 100, 5);
		played(&init, 1);
		played(&part, 4);
		ck_assert_uint_eq(found()->length, part.count);
		for (int i = 0; i < 4; i++) {
			played(&other, 1);
			played(&part, 7);
		}
		ck_assert_uint_eq(found()->length,
				  7 * part.count + other.count);
		ck_assert_uint_eq(found()->number, 2);
		ck_assert(found()->exact);
		closed();
	}
}
END_TEST

START_TEST(a_single_deviation_changes_nothing)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, 50, 5);
		played(&part, 5);
		ck_assert_uint_eq(found()->number, 1);
		played(&other, 1);
		played(&part, 12);
		ck_assert_uint_eq(found()->number, 1);
		closed();
	}
}
END_TEST

START_TEST(other_iterations_in_place_of_the_first_become_the_period)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_append(&other, &part);
		for (unsigned int i = 0; i < other.count; i++)
			other.buffers[i].size += 4096 * PROGRAM_UNIT;
		played(&part, 5);
		ck_assert_uint_eq(found()->number, 1);
		played(&other, 6);
		ck_assert_uint_eq(found()->number, 2);
		ck_assert_uint_eq(found()->length, part.count);
		ck_assert_uint_ge(found()->first, 5 * (uint64_t)part.count);
		closed();
	}
}
END_TEST

START_TEST(streams_tell_requests_of_one_size_apart)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		part_append(&whole, &part);
		part_append(&whole, &part);
		for (unsigned int i = 0; i < part.count; i++)
			whole.buffers[i].stream = 1;
		played(&whole, 4);
		ck_assert_uint_eq(found()->number, 1);
		ck_assert_uint_eq(found()->length, whole.count);
		closed();
	}
}
END_TEST

START_TEST(two_threads_are_found_each_by_its_own_finder)
{
	static struct program second;

	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		unsigned int i = 0, j = 0;

		drawn(seed, ROOM);
		program_open(&second, seed + 1000, ROOM);
		part_add_training(&other, &second.random);
		while (i < 5 * part.count || j < 5 * other.count)
			if (draw(&second.random, 2))
				program_step(&program,
					     &part.buffers[i++ % part.count]);
			else
				program_step(&second,
					     &other.buffers[j++ % other.count]);
		ck_assert_uint_eq(found()->length, part.count);
		ck_assert_uint_eq(finder_period(second.finder)->length,
				  other.count);
		program_close(&second);
		closed();
	}
}
END_TEST

START_TEST(two_threads_in_step_are_one_program)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		drawn(seed, ROOM);
		part_add_random(&other, &program.random, part.count, 30);
		for (unsigned int i = 0; i < part.count; i++) {
			part_add(&whole, part.buffers[i].size,
				 2 * part.buffers[i].life);
			part_add(&whole, other.buffers[i].size,
				 2 * other.buffers[i].life);
		}
		played(&whole, 4);
		ck_assert_uint_eq(found()->number, 1);
		ck_assert_uint_eq(found()->length, whole.count);
		closed();
	}
}
END_TEST

START_TEST(requests_without_order_are_no_period)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int sizes = 3 + (unsigned int)(seed % 60);
		uint64_t known[64];

		drawn(seed, ROOM);
		for (unsigned int i = 0; i < sizes; i++)
			known[i] = program_size(&program.random);
		for (int i = 0; i < 20000; i++) {
			uint64_t *random = &program.random;
			const struct program_buffer buffer = {
				.size = known[draw(random, sizes)],
				.life = 1 + (uint32_t)draw(random, 40)};

			program_step(&program, &buffer);
		}
		ck_assert_uint_eq(found()->number, 0);
		closed();
	}
}
END_TEST

/* The i-th letter of a word of three letters, in which nothing stands twice in
 * a row, however long: how many ones there are between two zeros of the
 * sequence of Thue and Morse. */
static unsigned int letter(unsigned int i)
{
	unsigned int zeros = 0, at = 0, ones = 0;

	for (; zeros <= i; at++)
		zeros += !__builtin_parity(at);
	while (__builtin_parity(at++))
		ones++;
	return ones;
}

/* As texts whose length is drawn each time. */
START_TEST(iterations_of_changing_shapes_are_no_period)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		drawn(seed, ROOM);
		for (unsigned int i = 0; i < 40; i++) {
			other = part;
			for (unsigned int j = 0; j < other.count; j++)
				other.buffers[j].size +=
					letter(i) * 5000 * PROGRAM_UNIT;
			played(&other, 1);
		}
		ck_assert_uint_eq(found()->number, 0);
		closed();
	}
}
END_TEST

START_TEST(a_few_requests_that_come_and_go_do_not_hide_it)
{
	static const unsigned int rates[] = {20, 50, 100, 150};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct history *history;
		uint64_t kept = 0, all = 0;

		drawn(seed, ROOM);
		program.inserted = program.dropped = rates[seed % 4];
		for (int i = 0; i < 16 && !found()->number; i++)
			played(&part, 1);
		ck_assert_uint_eq(found()->number, 1);
		history = finder_history(program.finder);
		for (uint64_t i = 0; i < found()->length; i++) {
			uint64_t at = found()->first + i;
			uint64_t size = history_size(history, at);

			if (!(history->notes[at & history->mask] &
			      HISTORY_KEPT))
				continue;
			ck_assert_uint_eq(size % PROGRAM_UNIT, 0);
			kept += size;
		}
		for (unsigned int i = 0; i < part.count; i++)
			all += part.buffers[i].size;
		all *= (found()->length + part.count / 2) / part.count;
		ck_assert_uint_ge(kept * 100, all * 90);
		closed();
	}
}
END_TEST

int main(void)
{
	return tests_run(
		"plan_period",
		(const TTest *const[]){
			a_period_is_found_within_three_equal_iterations,
			a_period_that_holds_is_the_only_one,
			layers_without_gradients_are_no_period_for_long,
			the_larger_period_of_accumulated_gradients_is_found,
			an_evaluation_now_and_then_becomes_part_of_the_period,
			a_single_deviation_changes_nothing,
			other_iterations_in_place_of_the_first_become_the_period,
			streams_tell_requests_of_one_size_apart,
			two_threads_are_found_each_by_its_own_finder,
			two_threads_in_step_are_one_program,
			requests_without_order_are_no_period,
			iterations_of_changing_shapes_are_no_period,
			a_few_requests_that_come_and_go_do_not_hide_it, NULL});
}
