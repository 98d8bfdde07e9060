#include "plan/cycle.h"
#include "program.h"
#include "run.h"

enum {
	SEEDS = 20,
	ROOM = 1 << 16,
	LAPS_PLAYED = 9, /* iterations in which a plan is tried */
};

static struct program program;
static struct program_part init, part;
static struct cycle cycle;

/* Draws a program and plays it until its period is found. */
static void learned(uint64_t seed, void (*change)(void))
{
	program_open(&program, seed, ROOM);
	ck_assert_ptr_nonnull(program.finder);
	init.count = part.count = 0;
	part_add_init(&init, &program.random);
	part_add_training(&part, &program.random);
	if (change)
		change();
	program_play(&program, &init);
	for (int i = 0; i < 12 && !finder_period(program.finder)->number; i++)
		program_play(&program, &part);
	ck_assert_uint_eq(finder_period(program.finder)->length, part.count);
	ck_assert(cycle_make(&cycle, finder_history(program.finder),
			     finder_period(program.finder)));
}

static void forgot(void)
{
	cycle_release(&cycle);
	program_close(&program);
}

/* The place of the request in the iteration that the program plays. */
static unsigned int position(size_t request)
{
	uint64_t serial = finder_period(program.finder)->first +
			  cycle.requests[request].at;

	return (unsigned int)((serial - init.count) % part.count);
}

START_TEST(a_cycle_has_the_requests_of_the_iteration_in_order)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t bytes = 0;

		learned(seed, NULL);
		ck_assert_uint_eq(cycle.count, part.count);
		for (size_t i = 0; i < cycle.count; i++) {
			const struct program_buffer *buffer =
				&part.buffers[position(i)];

			ck_assert_uint_eq(cycle.requests[i].at, i);
			ck_assert_uint_eq(cycle.requests[i].token,
					  history_token(buffer->size, 0));
			ck_assert_uint_eq(cycle.requests[i].place, i);
			ck_assert_uint_eq(cycle.problem.buffers[i].size,
					  buffer->size);
			bytes += buffer->size;
		}
		ck_assert_uint_eq(cycle.bytes, bytes);
		ck_assert_uint_eq(cycle.left_out, 0);
		forgot();
	}
}
END_TEST

START_TEST(a_buffer_lives_for_as_long_as_the_programs)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		learned(seed, NULL);
		for (size_t i = 0; i < cycle.count; i++) {
			const struct plan_buffer *buffer =
				&cycle.problem.buffers[cycle.requests[i].place];

			ck_assert_uint_eq(buffer->lower, i);
			ck_assert_uint_eq(buffer->upper - buffer->lower,
					  part.buffers[position(i)].life);
		}
		forgot();
	}
}
END_TEST

START_TEST(a_cycle_is_a_problem_of_the_planner)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		learned(seed, NULL);
		ck_assert_uint_eq(cycle.problem.period,
				  cycle.laps * (uint64_t)part.count);
		ck_assert_uint_eq(cycle.problem.count,
				  cycle.laps * cycle.per_lap);
		for (size_t i = 0; i < cycle.problem.count; i++) {
			const struct plan_buffer *buffer =
				&cycle.problem.buffers[i];

			ck_assert_uint_lt(buffer->lower, cycle.problem.period);
			ck_assert_uint_lt(buffer->lower, buffer->upper);
			ck_assert_uint_le(buffer->upper - buffer->lower,
					  cycle.problem.period);
			ck_assert_uint_ge(buffer->size, 1);
		}
		forgot();
	}
}
END_TEST

/* A time of a circle. */
static bool lives_at(const struct plan_buffer *buffer, uint64_t time)
{
	uint64_t since = (time + cycle.problem.period - buffer->lower) %
			 cycle.problem.period;

	return since < buffer->upper - buffer->lower;
}

/* Whether they are two buffers, which live at one time. */
static bool overlap(size_t one, size_t two)
{
	const struct plan_buffer *a = &cycle.problem.buffers[one];
	const struct plan_buffer *b = &cycle.problem.buffers[two];

	return one != two && (lives_at(a, b->lower) || lives_at(b, a->lower));
}

/* Buffers that the program has, from the start of an iteration at the cut. */
struct live {
	size_t place;
	uint64_t end, size;
};

/* Goes through several iterations, and checks that what lives at one time does
 * so on the circle too, where the planner keeps it apart. */
START_TEST(what_lives_at_one_time_does_so_on_the_circle)
{
	static struct live live[PROGRAM_MOST];

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t most = 0, time = 0;
		size_t count = 0;

		learned(seed, NULL);
		for (; time < LAPS_PLAYED * cycle.length; time++) {
			size_t request = time % cycle.length;
			size_t lap = time / cycle.length % cycle.laps;
			uint64_t level = 0;
			size_t kept = 0;

			for (size_t i = 0; i < count; i++)
				if (live[i].end > time)
					live[kept++] = live[i];
			count = kept;
			live[count] = (struct live){
				.place = cycle.requests[request].place +
					 lap * cycle.per_lap,
				.end = time +
				       part.buffers[position(request)].life,
				.size = part.buffers[position(request)].size};
			for (size_t i = 0; i < count; i++)
				if (!overlap(live[i].place, live[count].place))
					ck_abort_msg("seed %u: apart",
						     (unsigned int)seed);
			count++;
			for (size_t i = 0; i < count; i++)
				level += live[i].size;
			most = level > most ? level : most;
		}
		ck_assert_uint_eq(cycle.peak, most);
		forgot();
	}
}
END_TEST

static void keep_one_long(void)
{
	part.buffers[3].life = 2 * part.count + part.count / 2;
}

START_TEST(a_buffer_that_outlives_an_iteration_makes_laps)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		learned(seed, keep_one_long);
		ck_assert_uint_eq(cycle.laps, 3);
		ck_assert_uint_eq(cycle.left_out, 0);
		forgot();
	}
}
END_TEST

static void keep_one_too_long(void)
{
	part.buffers[3].life = 5 * part.count;
}

START_TEST(a_buffer_that_lives_too_long_is_left_out)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned int left_out = 0;

		learned(seed, keep_one_too_long);
		for (size_t i = 0; i < cycle.count; i++)
			if (cycle.requests[i].place == CYCLE_NONE) {
				ck_assert_uint_eq(position(i), 3);
				left_out++;
			}
		ck_assert_uint_eq(left_out, 1);
		ck_assert_uint_eq(cycle.left_out, part.buffers[3].size);
		ck_assert_uint_eq(cycle.per_lap, cycle.count - 1);
		ck_assert_uint_eq(cycle.laps, 2);
		forgot();
	}
}
END_TEST

START_TEST(what_the_program_keeps_from_its_start_is_persistent)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t kept = 0;

		learned(seed, NULL);
		for (unsigned int i = 0; i < init.count; i++)
			kept += init.buffers[i].size;
		ck_assert_uint_eq(cycle.persistent, kept);
		forgot();
	}
}
END_TEST

START_TEST(requests_that_do_not_repeat_are_not_planned)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		program_open(&program, seed, ROOM);
		part.count = 0;
		part_add_training(&part, &program.random);
		program.inserted = program.dropped = 50;
		for (int i = 0; i < 20; i++)
			program_play(&program, &part);
		ck_assert(cycle_make(&cycle, finder_history(program.finder),
				     finder_period(program.finder)));
		ck_assert_uint_ge(cycle.bytes, cycle.left_out);
		for (size_t i = 0; i < cycle.problem.count; i++)
			ck_assert_uint_eq(cycle.problem.buffers[i].size %
						  PROGRAM_UNIT,
					  0);
		for (size_t i = 1; i < cycle.count; i++)
			ck_assert_uint_lt(cycle.requests[i - 1].at,
					  cycle.requests[i].at);
		forgot();
	}
}
END_TEST

START_TEST(a_key_tells_how_iterations_begin)
{
	uint32_t tokens[CYCLE_KEY];
	uint64_t key;

	learned(1, NULL);
	for (int i = 0; i < CYCLE_KEY; i++)
		tokens[i] = cycle.requests[i].token;
	ck_assert_uint_eq(cycle_key(tokens), cycle.key);
	for (int i = 0; i < CYCLE_KEY; i++) {
		tokens[i]++;
		ck_assert_uint_ne(cycle_key(tokens), cycle.key);
		tokens[i]--;
	}
	key = tokens[0];
	tokens[0] = tokens[1];
	tokens[1] = (uint32_t)key;
	ck_assert_uint_ne(cycle_key(tokens), cycle.key);
	forgot();
}
END_TEST

START_TEST(what_is_forgotten_makes_no_cycle)
{
	struct history history;
	struct period period = {.number = 1, .length = 40, .exact = true};

	ck_assert(history_open(&history, 64));
	for (int i = 0; i < 100; i++)
		history_alloc(&history, 1, 512);
	period.first = history.first - 1;
	ck_assert(!cycle_make(&cycle, &history, &period));
	period.first = history.first;
	ck_assert(cycle_make(&cycle, &history, &period));
	cycle_release(&cycle);
	period.length = 0;
	ck_assert(!cycle_make(&cycle, &history, &period));
	period.length = 65;
	ck_assert(!cycle_make(&cycle, &history, &period));
	history_close(&history);
}
END_TEST

int main(void)
{
	return tests_run(
		"plan_cycle",
		(const TTest *const[]){
			a_cycle_has_the_requests_of_the_iteration_in_order,
			a_buffer_lives_for_as_long_as_the_programs,
			a_cycle_is_a_problem_of_the_planner,
			what_lives_at_one_time_does_so_on_the_circle,
			a_buffer_that_outlives_an_iteration_makes_laps,
			a_buffer_that_lives_too_long_is_left_out,
			what_the_program_keeps_from_its_start_is_persistent,
			requests_that_do_not_repeat_are_not_planned,
			a_key_tells_how_iterations_begin,
			what_is_forgotten_makes_no_cycle, NULL});
}
