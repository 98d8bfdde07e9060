/* Where a program's first iteration is found to begin. */
#include <stdlib.h>

#include "plan/beginning.h"
#include "plan/cycle.h"
#include "run.h"

enum {
	LAP = 40,     /* requests of an iteration */
	MOST = 1000,  /* of the program */
	WEIGHTS = 12, /* that the program takes first */
	LIFE = 3,     /* of what the iteration asks for */
};

static struct cycle_request requests[2 * LAP];
static struct plan_buffer buffers[2 * LAP];
static struct cycle_before before[MOST];
static struct cycle cycle;

static uint32_t token_of(unsigned int request)
{
	return 1000 + request;
}

static void ask(uint32_t token, uint32_t life)
{
	ck_assert_uint_lt(cycle.before_count, MOST);
	before[cycle.before_count++] = (struct cycle_before){
		.size = token * UINT64_C(512), .token = token, .life = life};
}

/* An iteration with so many requests, of which the plan has `parts` that are
 * alike but for their last request. */
static void cycle_begin(unsigned int parts)
{
	cycle = (struct cycle){
		.requests = requests,
		.before = before,
		.count = parts * LAP,
		.length = parts * LAP,
		.laps = 1,
		.per_lap = parts * LAP,
		.problem = {buffers, parts * LAP, parts * LAP},
	};
	for (unsigned int i = 0; i < parts * LAP; i++)
		requests[i] = (struct cycle_request){
			.token = token_of(i == 2 * LAP - 1 ? i : i % LAP),
			.at = i,
			.place = i};
}

static void lap_ask(unsigned int from, unsigned int part)
{
	for (unsigned int i = from; i < from + LAP; i++)
		ask(requests[part * LAP + i % LAP].token, LIFE);
}

static void weights_ask(void)
{
	for (unsigned int i = 0; i < WEIGHTS; i++)
		ask(token_of(LAP - WEIGHTS + i), 0);
}

static uint64_t sum_of(uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum = beginning_add(sum, before[i].token);
	return sum;
}

/* What the program takes first has the sizes of the iteration's last
 * requests. */
START_TEST(what_is_kept_is_no_part_of_an_iteration)
{
	struct beginning begin;

	cycle_begin(1);
	weights_ask();
	lap_ask(0, 0);
	cycle.first = cycle.before_count;
	lap_ask(0, 0);
	for (uint32_t least = 0; least < LAP; least++) {
		begin = beginning_find(&cycle, least);
		ck_assert(begin.known);
		ck_assert_uint_eq(begin.requests, WEIGHTS);
		ck_assert_uint_eq(begin.slot, 0);
		ck_assert_uint_eq(begin.sum, sum_of(WEIGHTS));
		ck_assert_uint_eq(begin.kept_count, 0);
		beginning_release(&begin);
	}
}
END_TEST

START_TEST(what_the_first_iteration_keeps_is_found)
{
	struct beginning begin;
	size_t kept = 0;

	cycle_begin(1);
	weights_ask();
	for (unsigned int i = 0; i < LAP; i++) {
		ask(requests[i].token, LIFE);
		/* It is live still, or was for too long for a plan. */
		if (i % 5 == 4)
			ask(token_of(i / 2), i % 2 ? 0 : LAP + 1);
	}
	cycle.first = cycle.before_count;
	lap_ask(0, 0);
	begin = beginning_find(&cycle, 0);
	ck_assert(begin.known);
	ck_assert_uint_eq(begin.kept_count, LAP / 5);
	for (uint64_t i = WEIGHTS; i < cycle.first; i++)
		if (before[i].life != LIFE) {
			ck_assert_uint_eq(begin.kept[kept].request, i);
			ck_assert_uint_eq(begin.kept[kept++].size,
					  before[i].size);
		}
	beginning_release(&begin);
}
END_TEST

/* The program begins with the second of two parts, or the first. */
START_TEST(of_parts_that_begin_alike_the_right_one_is_found)
{
	struct beginning begin;

	for (unsigned int part = 0; part < 2; part++) {
		cycle_begin(2);
		weights_ask();
		ask(token_of(7777), 0);
		for (unsigned int i = 0; i < 5; i++)
			lap_ask(0, (part + i) % 2);
		cycle.first = cycle.before_count - (part ? 4 : 3) * LAP;
		cycle.before_count = cycle.first + 2 * LAP;
		/* `first` is where part 0 begins. */
		ck_assert_uint_eq(before[cycle.first + 2 * LAP - 1].token,
				  requests[2 * LAP - 1].token);
		begin = beginning_find(&cycle, 0);
		ck_assert(begin.known);
		ck_assert_uint_eq(begin.requests, WEIGHTS + 1);
		ck_assert_uint_eq(begin.slot, part * LAP);
		beginning_release(&begin);
	}
}
END_TEST

START_TEST(nothing_is_known_where_nothing_was_alike)
{
	struct beginning begin;

	cycle_begin(1);
	for (int i = 0; i < 5 * LAP; i++)
		ask(1, LIFE);
	cycle.first = 4 * LAP;
	begin = beginning_find(&cycle, 0);
	ck_assert(!begin.known);
	cycle.before_count = 0;
	cycle.before = NULL;
	begin = beginning_find(&cycle, 0);
	ck_assert(!begin.known);
}
END_TEST

START_TEST(a_sum_knows_the_order)
{
	uint64_t one = beginning_add(beginning_add(0, 1), 2);

	ck_assert_uint_ne(one, beginning_add(beginning_add(0, 2), 1));
	ck_assert_uint_ne(beginning_add(0, 0), beginning_add(0, 1));
	ck_assert_uint_lt(one, UINT64_C(1) << 63);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_is_kept_is_no_part_of_an_iteration,
		what_the_first_iteration_keeps_is_found,
		of_parts_that_begin_alike_the_right_one_is_found,
		nothing_is_known_where_nothing_was_alike,
		a_sum_knows_the_order,
		NULL,
	};

	return tests_run("plan_beginning", tests);
}
