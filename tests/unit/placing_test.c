#include "pools/placing.h"
#include "run.h"

/* Extents lie apart by as much as they are long. */
enum { SPAN = 512, COUNT = 100, STREAM = 3, OTHER = 4 };

static struct extents extents;
static struct mnm_region region = {.base = 1 << 20, .bytes = 1 << 20};

static uint64_t address(int number)
{
	return region.base + (uint64_t)number * 4 * SPAN;
}

static void add(int number, size_t bytes, uint64_t epoch, unsigned int stream)
{
	placing_add(&extents, &(struct mnm_place){.region = &region,
						  .addr = address(number),
						  .bytes = bytes,
						  .epoch = epoch,
						  .stream = stream});
}

/* What a request gets for which the epochs below are over; 0 if nothing. */
static uint64_t got(uint64_t safe, unsigned int stream, bool *unready)
{
	const struct mnm_request request = {
		.span = SPAN, .safe = safe, .stream = stream};
	const struct extent *at = placing_fit(&extents, &request, unready);

	return at ? at->addr : 0;
}

/* A hundred were freed in epoch 7 in another stream, and a larger one in 5. */
static void begin(void)
{
	ck_assert(extents_prepare(&extents, COUNT + 2));
	for (int i = 0; i < COUNT; i++)
		add(i, SPAN, 7, OTHER);
	add(COUNT, 2 * SPAN, 5, OTHER);
}

START_TEST(what_is_ready_is_found_behind_however_many_that_are_not)
{
	bool unready;

	begin();
	ck_assert_uint_eq(got(5, STREAM, &unready), 0);
	ck_assert(unready);
	ck_assert_uint_eq(got(6, STREAM, &unready), address(COUNT));
	ck_assert_uint_eq(got(6, OTHER, &unready), address(0));
	ck_assert_uint_eq(got(8, STREAM, &unready), address(0));
	ck_assert(!unready);
	extents_close(&extents);
}
END_TEST

/* Some requests may rely on less than others. */
START_TEST(a_careful_request_changes_nothing_for_others)
{
	bool unready;

	begin();
	ck_assert_uint_eq(got(6, STREAM, &unready), address(COUNT));
	ck_assert_uint_eq(got(4, STREAM, &unready), 0);
	ck_assert(unready);
	ck_assert_uint_eq(extents.settled, 6);
	ck_assert_uint_eq(got(6, STREAM, &unready), address(COUNT));
	extents_close(&extents);
}
END_TEST

/* Whatever is joined for a trim, or while no fence was needed. */
START_TEST(what_was_joined_to_go_back_is_not_ready_for_that)
{
	bool unready;

	begin();
	extents_settle(&extents, UINT64_MAX);
	ck_assert_uint_eq(got(6, STREAM, &unready), address(COUNT));
	ck_assert_uint_eq(extents.settled, 6);
	extents_settle(&extents, UINT64_MAX);
	ck_assert_uint_eq(got(5, STREAM, &unready), 0);
	ck_assert_uint_eq(extents.settled, 5);
	ck_assert(unready);
	extents_close(&extents);
}
END_TEST

START_TEST(what_would_fit_if_it_were_joined_is_not_ready)
{
	bool unready;

	ck_assert(extents_prepare(&extents, 3));
	add(0, SPAN / 2, 3, STREAM);
	placing_add(&extents, &(struct mnm_place){.region = &region,
						  .addr = address(0) + SPAN / 2,
						  .bytes = SPAN / 2,
						  .epoch = 2,
						  .stream = OTHER});
	ck_assert_uint_eq(got(2, STREAM, &unready), 0);
	ck_assert(unready);
	ck_assert_uint_eq(got(4, STREAM, &unready), address(0));
	extents_close(&extents);
}
END_TEST

/* The pool has grown by it for this very request. */
START_TEST(what_nobody_had_is_found_behind_all_that_is_not_ready)
{
	bool unready;

	begin();
	ck_assert(extents_prepare(&extents, COUNT + 3));
	extents_settle(&extents, 8);
	add(COUNT + 1, SPAN, MNM_EPOCH_NEVER, 0);
	ck_assert_uint_eq(got(4, STREAM, &unready), address(COUNT + 1));
	extents_cut(&extents, extents_from(&extents, address(COUNT + 1)),
		    address(COUNT + 1), SPAN);
	ck_assert_uint_eq(got(4, STREAM, &unready), 0);
	ck_assert(unready);
	extents_close(&extents);
}
END_TEST

int main(void)
{
	static const TTest *tests[6]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = what_is_ready_is_found_behind_however_many_that_are_not;
	tests[n++] = a_careful_request_changes_nothing_for_others;
	tests[n++] = what_was_joined_to_go_back_is_not_ready_for_that;
	tests[n++] = what_nobody_had_is_found_behind_all_that_is_not_ready;
	tests[n++] = what_would_fit_if_it_were_joined_is_not_ready;
	return tests_run("placing", tests);
}
