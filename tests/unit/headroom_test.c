/* When idle memory goes back so that a pool leaves enough of the device. */
#include <stdbool.h>
#include <stdint.h>

#include "context/context.h"
#include "cuda/backing.h"
#include "heap/headroom.h"
#include "heap/owed.h"
#include "heap/reclaim.h"
#include "order/capture.h"
#include "order/fence.h"
#include "pools/pool.h"
#include "stats/counter.h"
#include "run.h"

static struct device device;
static struct heap heap = {.device = &device};
static struct pool pool = {.heap = &heap, .view.headroom = 25};
static size_t all, unused, idle;
static bool host, captures, forbidden;
static int result, asked, given, owed;

int backing_device_bytes(int ordinal, size_t *bytes)
{
	(void)ordinal;
	*bytes = all;
	return 0;
}

int backing_free_bytes(size_t *bytes)
{
	asked++;
	*bytes = unused;
	return result;
}

int device_check(struct device *of, int res)
{
	(void)of;
	return res;
}

int device_ordinal(const struct device *of)
{
	(void)of;
	return 0;
}

bool device_is_host(const struct device *of)
{
	(void)of;
	return host;
}

uint64_t counter_get(const struct device *of, enum counter counter)
{
	(void)of;
	ck_assert_int_eq(counter, COUNTER_idle_bytes);
	return idle;
}

bool capture_any(void)
{
	return captures;
}

bool waits_are_forbidden(void)
{
	return forbidden;
}

size_t owed_try(struct device *of, size_t bytes)
{
	(void)of;
	owed += bytes == SIZE_MAX;
	return 0;
}

size_t reclaim_now(struct device *of, size_t bytes)
{
	(void)of;
	given += bytes == SIZE_MAX;
	return 0;
}

/* Half of 1000 bytes is free, and something is idle. */
static void setup(void)
{
	all = 1000;
	unused = 500;
	idle = 1;
	host = captures = forbidden = false;
	result = asked = given = owed = 0;
	pool.view.headroom = 25;
}

static void check_taken(size_t span, int asks, int gives, int owes)
{
	headroom_keep(&pool, span);
	ck_assert_int_eq(asked, asks);
	ck_assert_int_eq(given, gives);
	ck_assert_int_eq(owed, owes);
}

START_TEST(all_goes_back_if_less_would_be_free)
{
	setup();
	check_taken(250, 1, 0, 0);
	check_taken(251, 2, 1, 0);
	check_taken(501, 3, 2, 0); /* more than is free */
	check_taken(1000, 4, 3, 0);
}
END_TEST

START_TEST(any_device_has_its_percentage)
{
	setup();
	all = SIZE_MAX;
	unused = SIZE_MAX / 2;
	check_taken(SIZE_MAX / 4 - 100, 1, 0, 0);
	check_taken(SIZE_MAX / 4 + 100, 2, 1, 0);
	all = unused = 99;
	pool.view.headroom = 100;
	check_taken(1, 3, 2, 0);
}
END_TEST

START_TEST(a_request_that_may_not_wait_owes_it)
{
	setup();
	forbidden = true;
	check_taken(250, 1, 0, 0);
	check_taken(251, 2, 0, 1);
}
END_TEST

START_TEST(nothing_is_asked_where_the_answer_would_not_count)
{
	setup();
	idle = 0;
	check_taken(501, 0, 0, 0);
	setup();
	captures = true;
	check_taken(501, 0, 0, 0);
	setup();
	host = true;
	check_taken(501, 0, 0, 0);
	setup();
	pool.view.headroom = 0;
	check_taken(501, 0, 0, 0);
	setup();
	check_taken(1001, 0, 0, 0); /* more than there is */
}
END_TEST

START_TEST(a_driver_that_does_not_tell_changes_nothing)
{
	setup();
	result = 999;
	check_taken(501, 1, 0, 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[6]; /* ends with NULL */
	size_t n = 0;

	tests[n++] = all_goes_back_if_less_would_be_free;
	tests[n++] = any_device_has_its_percentage;
	tests[n++] = a_request_that_may_not_wait_owes_it;
	tests[n++] = nothing_is_asked_where_the_answer_would_not_count;
	tests[n++] = a_driver_that_does_not_tell_changes_nothing;
	return tests_run("headroom", tests);
}
