/* The plans of a few shapes: which of them is known, goes, and is followed. */
#include "plan/segments.h"
#include "plan/templates.h"
#include "run.h"

enum { COUNT = 20, SIZE = 512 };

static struct cycle_request requests[2 * COUNT];

/* A shape of its own tokens but for the first one, which all have; a cycle
 * that begins with the request `from`, `times` times. */
static struct cycle cycle_of(uint32_t shape, size_t from, size_t times)
{
	for (size_t i = 0; i < times * COUNT; i++) {
		size_t at = (from + i) % COUNT;

		requests[i].token = (uint32_t)at + (at ? 1000 * shape : 0);
	}
	return (struct cycle){.requests = requests, .count = times * COUNT};
}

static void shape_add(struct templates *templates, uint32_t shape)
{
	struct plan_job job = {.cycle = cycle_of(shape, 0, 1), .peak = shape};
	struct replay_slot slots[COUNT];

	for (int i = 0; i < COUNT; i++)
		slots[i] = (struct replay_slot){.token = requests[i].token,
						.size = SIZE};
	job.replay = replay_open(slots, COUNT, 1);
	ck_assert_ptr_nonnull(job.replay);
	templates_add(templates, &job);
}

static bool is_known(const struct templates *templates, uint32_t shape)
{
	const struct cycle cycle = cycle_of(shape, 0, 1);

	return templates_know(templates, &cycle);
}

START_TEST(a_shape_is_known_wherever_it_begins_and_if_it_comes_twice)
{
	struct templates templates = {.clock = 0};
	struct cycle cycle;

	shape_add(&templates, 1);
	for (size_t from = 0; from < COUNT; from++) {
		cycle = cycle_of(1, from, 1);
		ck_assert(templates_know(&templates, &cycle));
		cycle = cycle_of(1, from, 2);
		ck_assert(templates_know(&templates, &cycle));
		cycle = cycle_of(2, from, 1);
		ck_assert(!templates_know(&templates, &cycle));
	}
	cycle = cycle_of(1, 0, 1);
	requests[4].token = requests[5].token;
	ck_assert(!templates_know(&templates, &cycle));
	templates_close(&templates);
	ck_assert_uint_eq(templates_count(&templates), 0);
}
END_TEST

/* Asks for the requests of an iteration from one on, and returns how many had a
 * slot of the shape's template. */
static unsigned int shape_play(struct templates *templates, uint32_t shape,
			       size_t from)
{
	unsigned int own = 0;

	for (size_t i = from; i < COUNT; i++) {
		uint32_t token = (uint32_t)i + (i ? 1000 * shape : 0);
		uint32_t slot = templates_ask(templates, token, SIZE);

		own += slot != REPLAY_NONE && templates->current->peak == shape;
		templates_served(templates, token, SIZE);
	}
	return own;
}

START_TEST(the_one_goes_that_was_not_used_for_longest)
{
	struct templates templates = {.clock = 0};

	for (uint32_t shape = 1; shape <= TEMPLATES_MOST; shape++)
		shape_add(&templates, shape);
	ck_assert_uint_eq(templates_count(&templates), TEMPLATES_MOST);
	shape_play(&templates, 1, 0);
	ck_assert_uint_eq(templates.current->peak, 1);
	shape_add(&templates, 9);
	ck_assert_uint_eq(templates_count(&templates), TEMPLATES_MOST);
	ck_assert(is_known(&templates, 1));
	ck_assert(!is_known(&templates, 2));
	ck_assert_uint_eq(templates.ousted, 1);
	ck_assert_uint_eq(templates_peak(&templates), 9);
	templates_close(&templates);
}
END_TEST

/* The first request is the same for all. */
START_TEST(a_shape_is_followed_from_the_first_request_that_is_its_own)
{
	struct templates templates = {.clock = 0};

	shape_add(&templates, 1);
	shape_add(&templates, 2);
	replay_begin(templates.current->replay, 0);
	ck_assert_uint_eq(shape_play(&templates, 2, 0), COUNT);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(shape_play(&templates, 1, 0), COUNT - 1);
		ck_assert_uint_eq(shape_play(&templates, 2, 0), COUNT - 1);
		ck_assert_uint_eq(shape_play(&templates, 2, 0), COUNT);
	}
	ck_assert(templates_suffice(&templates));
	templates_close(&templates);
}
END_TEST

START_TEST(in_the_midst_of_an_iteration_four_requests_tell)
{
	struct templates templates = {.clock = 0};

	shape_add(&templates, 1);
	shape_add(&templates, 2);
	replay_begin(templates.current->replay, 0);
	shape_play(&templates, 2, 0);
	ck_assert_uint_eq(shape_play(&templates, 1, 10), COUNT - 10 - 3);
	templates_close(&templates);
}
END_TEST

/* What no template foresees comes where an iteration would have begun. */
START_TEST(an_unknown_iteration_begins_with_its_first_request)
{
	struct templates templates = {.clock = 0};

	shape_add(&templates, 1);
	replay_begin(templates.current->replay, 0);
	shape_play(&templates, 1, 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		templates_ask(&templates, 5000 + i, SIZE);
		ck_assert_uint_eq(templates_served(&templates, 5000 + i, SIZE),
				  !i);
	}
	templates_close(&templates);
}
END_TEST

/* Iterations of these shapes in a row, from the request `from` on. */
static struct cycle cycle_of_shapes(const uint32_t *shapes, size_t count,
				    size_t from)
{
	static struct cycle_request row[4 * COUNT];

	for (size_t i = 0; i < count; i++) {
		cycle_of(shapes[i], 0, 1);
		for (size_t at = 0; at < COUNT; at++) {
			size_t to = i * COUNT + at + count * COUNT - from;

			row[to % (count * COUNT)] = requests[at];
			row[to % (count * COUNT)].size = SIZE;
		}
	}
	return (struct cycle){.requests = row, .count = count * COUNT};
}

START_TEST(iterations_in_a_row_are_foreseen_one_after_the_other)
{
	const uint32_t known[] = {1, 1, 2, 1}, other[] = {1, 2, 3, 1};
	struct templates templates = {.clock = 0};
	struct cycle cycle = cycle_of_shapes(known, 2, 0);
	size_t late;

	shape_add(&templates, 1);
	ck_assert(!templates_foresee(&templates, &cycle));
	shape_add(&templates, 2);
	for (size_t from = 0; from < 4 * COUNT; from++) {
		cycle = cycle_of_shapes(known, 4, from);
		ck_assert(templates_foresee(&templates, &cycle));
		/* A smaller one may have its place, a larger one may not. */
		late = (2 * COUNT - 1 - from % COUNT) % COUNT;
		cycle.requests[late].token = 77;
		cycle.requests[late].size = SIZE - 1;
		ck_assert(templates_foresee(&templates, &cycle));
		cycle = cycle_of_shapes(other, 4, from);
		ck_assert(!templates_foresee(&templates, &cycle));
	}
	templates_close(&templates);
}
END_TEST

/* A B A: the first one is found again, and is no neighbour. */
START_TEST(an_iteration_is_equal_to_an_earlier_one)
{
	struct segments segments = {.count = 0};
	struct history history;
	struct period found;
	bool next;

	ck_assert(history_open(&history, 1024));
	ck_assert(!segments_end(&segments, &history, 0, &found, &next));
	for (uint32_t i = 0; i < 4; i++) {
		struct cycle cycle = cycle_of(i == 1 ? 2 : 1, 0, 1);

		for (size_t j = 0; j < cycle.count; j++)
			history_alloc(&history, requests[j].token, SIZE);
		ck_assert_int_eq(segments_end(&segments, &history,
					      history.count, &found, &next),
				 i > 1);
		if (i < 2)
			continue;
		ck_assert_uint_eq(found.first, i == 2 ? 0 : 2 * COUNT);
		ck_assert_uint_eq(found.length, COUNT);
		ck_assert_int_eq(next, i == 3);
	}
	history_close(&history);
}
END_TEST

int main(void)
{
	static const TTest *tests[8]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = a_shape_is_known_wherever_it_begins_and_if_it_comes_twice;
	tests[n++] = the_one_goes_that_was_not_used_for_longest;
	tests[n++] = a_shape_is_followed_from_the_first_request_that_is_its_own;
	tests[n++] = in_the_midst_of_an_iteration_four_requests_tell;
	tests[n++] = an_unknown_iteration_begins_with_its_first_request;
	tests[n++] = iterations_in_a_row_are_foreseen_one_after_the_other;
	tests[n++] = an_iteration_is_equal_to_an_earlier_one;
	return tests_run("templates", tests);
}
