/* What a thread counts of stream-ordered memory, apart from the rest. */
#include "context/context.h"
#include "run.h"
#include "stats/counter.h"
#include "stats/thread_stats.h"

enum { SIZE = 4096 };

static struct thread_stats own;

static struct device *prepare(void)
{
	struct device *device = device_at(0);

	thread_stats_open(&own, device);
	thread_stats_own = &own;
	return device;
}

static int64_t used(unsigned int number)
{
	bool several;

	return thread_stats_mempool(number, &several);
}

/* The thread had so many bytes at most, and so has the pool. */
static struct device *prepare_peak(unsigned int number, int64_t bytes)
{
	struct device *device = prepare();

	own.live.left -= bytes;
	thread_stats_sync(&own);
	own.live.left += bytes;
	thread_stats_turn(&own, number);
	thread_stats_mempool_room(&own, number, bytes);
	return device;
}

START_TEST(a_part_is_counted_for_its_pool_and_with_the_rest)
{
	struct device *device = prepare();

	thread_stats_turn(&own, 1);
	own.ordered.left -= SIZE;
	ck_assert_int_eq(used(1), SIZE);
	thread_stats_turn(&own, 2);
	own.ordered.left -= 2 * SIZE;
	own.live.left -= 4 * SIZE;
	thread_stats_sync(&own);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 7 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 7 * SIZE);
	ck_assert_int_eq(used(1), SIZE);
	ck_assert_int_eq(used(2), 2 * SIZE);
	ck_assert_int_eq(used(3), 0);
}
END_TEST

START_TEST(a_part_stays_when_its_thread_ends)
{
	struct device *device = prepare();

	thread_stats_turn(&own, 1);
	own.ordered.left -= SIZE;
	thread_stats_close(&own);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), SIZE);
	ck_assert_int_eq(used(1), SIZE);
	thread_stats_mempool_open(1);
	ck_assert_int_eq(used(1), 0);
}
END_TEST

START_TEST(a_pools_number_that_is_given_anew_has_no_part)
{
	prepare();
	thread_stats_turn(&own, 1);
	own.ordered.left -= SIZE;
	thread_stats_mempool_open(1);
	ck_assert_int_eq(used(1), 0);
}
END_TEST

START_TEST(what_is_left_of_both_is_left_once)
{
	prepare_peak(1, 8 * SIZE);
	ck_assert_int_gt(own.ordered.left, 0);
	ck_assert_int_gt(own.live.left, 0);
	ck_assert_int_eq(own.ordered.left + own.live.left, 8 * SIZE);
	ck_assert_int_eq(own.ordered.left + own.mempools[1].left, 8 * SIZE);
}
END_TEST

START_TEST(a_pool_may_have_less_than_what_is_left_of_all)
{
	prepare_peak(1, 8 * SIZE);
	thread_stats_mempool_room(&own, 1, SIZE / 2);
	ck_assert_int_le(own.ordered.left, SIZE / 2);
	ck_assert_int_eq(own.ordered.left + own.live.left, 8 * SIZE);
}
END_TEST

START_TEST(who_has_none_left_gets_most)
{
	struct device *device = prepare_peak(1, 8 * SIZE);

	own.ordered.left -= 8 * SIZE;
	ck_assert_int_lt(own.ordered.left, 0);
	thread_stats_sync(&own);
	own.ordered.left += 8 * SIZE;
	thread_stats_sync(&own);
	ck_assert_int_gt(own.ordered.left, own.live.left);
	own.live.left -= 8 * SIZE;
	ck_assert_int_lt(own.live.left, 0);
	thread_stats_sync(&own);
	own.live.left += 8 * SIZE;
	thread_stats_sync(&own);
	ck_assert_int_lt(own.ordered.left, own.live.left);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 8 * SIZE);
}
END_TEST

START_TEST(without_a_pool_all_is_left)
{
	prepare_peak(1, 8 * SIZE);
	thread_stats_turn(&own, 0);
	ck_assert_int_eq(own.ordered.left, 0);
	ck_assert_int_eq(own.live.left, 8 * SIZE);
}
END_TEST

int main(void)
{
	static const TTest *tests[8];
	size_t n = 0;

	tests[n++] = a_part_is_counted_for_its_pool_and_with_the_rest;
	tests[n++] = a_part_stays_when_its_thread_ends;
	tests[n++] = a_pools_number_that_is_given_anew_has_no_part;
	tests[n++] = what_is_left_of_both_is_left_once;
	tests[n++] = a_pool_may_have_less_than_what_is_left_of_all;
	tests[n++] = who_has_none_left_gets_most;
	tests[n++] = without_a_pool_all_is_left;
	return tests_run("thread_ordered", tests);
}
