/* Which ways to leave a thread tests/proof takes to be the same. */
#include "../proof/ways.h"

#include <check.h>
#include <stdlib.h>

#include "run.h"

enum { LEFT, OTHER };

static char shared[64], own[64];

/* The thread that is left goes on behind an access of the other one. */
static void other_accesses(enum access access)
{
	ways_leave(LEFT);
	ways_access(OTHER, shared + 8, 8, access);
	ways_go_on(LEFT);
}

/* A step of the thread: what it does behind a point. */
static void step(const void *at, size_t bytes, enum access access)
{
	ways_access(LEFT, at, bytes, access);
	ways_point(LEFT);
}

START_TEST(points_count_until_what_is_done_clashes)
{
	other_accesses(ACCESS_WRITE);
	ck_assert(ways_watched);
	step(own, 8, ACCESS_WRITE);
	step(own, 8, ACCESS_READ);
	step(shared, 16, ACCESS_READ);
	ck_assert(!ways_watched);
	step(own, 8, ACCESS_WRITE);
	ck_assert_uint_eq(ways_end(LEFT), 2);
}
END_TEST

static const struct {
	enum access others, own;
	bool same;
} pairs[] = {
	{ACCESS_READ, ACCESS_READ, true},
	{ACCESS_READ, ACCESS_WRITE, false},
	{ACCESS_READ, ACCESS_COUNT, false},
	{ACCESS_WRITE, ACCESS_READ, false},
	{ACCESS_WRITE, ACCESS_WRITE, false},
	{ACCESS_WRITE, ACCESS_COUNT, false},
	{ACCESS_COUNT, ACCESS_READ, false},
	{ACCESS_COUNT, ACCESS_WRITE, false},
	{ACCESS_COUNT, ACCESS_COUNT, true},
};

START_TEST(reads_and_counts_do_not_clash_with_their_like)
{
	other_accesses(pairs[_i].others);
	step(shared + 15, 1, pairs[_i].own);
	ck_assert_uint_eq(ways_end(LEFT), pairs[_i].same);
}
END_TEST

START_TEST(neighbouring_words_do_not_clash)
{
	other_accesses(ACCESS_WRITE);
	step(shared, 8, ACCESS_WRITE);
	step(shared + 16, 8, ACCESS_WRITE);
	ck_assert_uint_eq(ways_end(LEFT), 2);
}
END_TEST

START_TEST(nothing_counts_once_the_other_goes_on)
{
	other_accesses(ACCESS_READ);
	step(own, 8, ACCESS_WRITE);
	ways_access(OTHER, own + 32, 8, ACCESS_READ);
	step(own, 8, ACCESS_WRITE);
	ck_assert_uint_eq(ways_end(LEFT), 1);
}
END_TEST

START_TEST(both_may_be_left)
{
	other_accesses(ACCESS_WRITE);
	ways_leave(OTHER);
	step(own, 8, ACCESS_WRITE);
	ck_assert_uint_eq(ways_end(LEFT), 1);
	ways_go_on(OTHER);
	ways_point(OTHER);
	ways_access(OTHER, own, 8, ACCESS_READ);
	ways_point(OTHER);
	ck_assert_uint_eq(ways_end(OTHER), 1);
}
END_TEST

START_TEST(nothing_is_the_same_where_too_much_is_accessed)
{
	char *much = malloc(1 << 20);

	ways_leave(LEFT);
	ways_access(OTHER, much, 1 << 20, ACCESS_READ);
	ways_go_on(LEFT);
	step(own, 8, ACCESS_READ);
	ck_assert_uint_eq(ways_end(LEFT), 0);
	free(much);
}
END_TEST

int main(void)
{
	const struct loop_test tests[] = {
		{points_count_until_what_is_done_clashes, 1},
		{reads_and_counts_do_not_clash_with_their_like,
		 sizeof(pairs) / sizeof(*pairs)},
		{neighbouring_words_do_not_clash, 1},
		{nothing_counts_once_the_other_goes_on, 1},
		{both_may_be_left, 1},
		{nothing_is_the_same_where_too_much_is_accessed, 1},
		{NULL, 0}};

	return loops_run("ways", tests);
}
