/* What goes when idle memory has to make room: the cheapest contiguous window.
 */
#include <string.h>

#include "draw.h"
#include "plan/window.h"
#include "run.h"

enum { CELLS = 79, HOLE = 29, UNITS = 40, SLOTS = 30 };

/* The drawing that the idea came with: in an arena of 79 cells A, B and C lie,
 * of 15, 15 and 29. A is in use, and D asks for 29. */
static const struct window_slot stored[] = {
	{0, 15, 15}, {15, 30, 15}, {30, 59, 29}};
/* What will be released after what will be stored: C before B. */
static const struct window_slot planned[] = {
	{0, 15, 15}, {15, 44, 29}, {44, 59, 15}};

static bool taken[CELLS];

/* A is never to go. */
static void a_taken(void)
{
	memset(taken, 0, sizeof(taken));
	memset(taken, true, 15);
}

/* What it costs to let blocks go in the order in which they came, from `first`
 * on, until there is a hole. */
static uint64_t cost_in_order(const struct window_slot *slots, size_t count,
			      size_t first)
{
	uint64_t cost = 0;
	size_t hole = 0;

	for (size_t i = first; i < count && hole < HOLE; i++) {
		cost += slots[i].cost;
		hole += slots[i].end - slots[i].begin;
	}
	return cost;
}

START_TEST(planned_fifteen_cells_go_and_in_order_of_request_forty_four)
{
	struct window found;

	a_taken();
	ck_assert(window_find(planned, 3, taken, CELLS, HOLE, &found));
	ck_assert_uint_eq(found.cost, 15);
	ck_assert_uint_eq(found.begin, 44);
	ck_assert_uint_eq(cost_in_order(stored, 3, 1), 44);
	/* With its choice of a window, that order does better as well. */
	ck_assert(window_find(stored, 3, taken, CELLS, HOLE, &found));
	ck_assert_uint_eq(found.cost, 29);
}
END_TEST

START_TEST(what_is_in_use_does_not_go)
{
	struct window found;

	a_taken();
	ck_assert(!window_find(planned, 3, taken, CELLS, 65, &found));
	ck_assert(window_find(planned, 3, taken, CELLS, 64, &found));
	ck_assert_uint_eq(found.begin, 15);
	ck_assert_uint_eq(found.cost, 44);
	ck_assert(window_find(NULL, 0, taken, CELLS, 1, &found));
	ck_assert_uint_eq(found.cost, 0);
	ck_assert(!window_find(planned, 3, taken, 15, 1, &found));
}
END_TEST

static uint64_t cost_at(const struct window_slot *slots, size_t begin,
			size_t want)
{
	uint64_t cost = 0;

	for (int i = 0; i < SLOTS; i++)
		if (slots[i].begin < begin + want && slots[i].end > begin)
			cost += slots[i].cost;
	return cost;
}

static bool is_free(size_t begin, size_t want)
{
	for (size_t i = begin; i < begin + want; i++)
		if (taken[i])
			return false;
	return true;
}

/* Slots overlap, as they live at other times. */
static void windows_look(uint64_t seed)
{
	struct window_slot slots[SLOTS];
	struct window found;
	uint64_t random = seed, least = UINT64_MAX;
	size_t want = 1 + draw(&random, 8);

	for (int i = 0; i < UNITS; i++)
		taken[i] = !draw(&random, 9);
	for (int i = 0; i < SLOTS; i++) {
		slots[i].begin = draw(&random, UNITS);
		slots[i].end = slots[i].begin + 1 +
			       draw(&random, UNITS - slots[i].begin);
		slots[i].cost = draw(&random, 100);
	}
	for (size_t i = 0; i + want <= UNITS; i++)
		if (is_free(i, want) && cost_at(slots, i, want) < least)
			least = cost_at(slots, i, want);
	ck_assert_int_eq(window_find(slots, SLOTS, taken, UNITS, want, &found),
			 least < UINT64_MAX);
	if (least == UINT64_MAX)
		return;
	ck_assert_uint_eq(found.cost, least);
	ck_assert_uint_eq(cost_at(slots, found.begin, want), least);
	ck_assert(is_free(found.begin, want));
}

START_TEST(the_cheapest_of_all_windows_is_found)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		windows_look(seed);
}
END_TEST

int main(void)
{
	static const TTest *tests[4]; /* ends with NULL */
	size_t n = 0;

	tests[n++] =
		planned_fifteen_cells_go_and_in_order_of_request_forty_four;
	tests[n++] = what_is_in_use_does_not_go;
	tests[n++] = the_cheapest_of_all_windows_is_found;
	return tests_run("window", tests);
}
