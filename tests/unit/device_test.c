/* A device's counters, of each kind, with the figures that threads count for
 * it. */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context/context.h"
#include "run.h"
#include "stats/counter.h"
#include "stats/thread_stats.h"

enum { SIZE = 4096, HANG = 30 /* seconds */ };

/* The words of another thread, and those of the calling thread once it is told
 * of them. */
static struct thread_stats other, own;

static struct device *prepare(int ordinal)
{
	struct device *device = device_at(ordinal);

	thread_stats_open(&other, device);
	thread_stats_open(&own, device);
	return device;
}

START_TEST(a_sum_is_of_the_device_and_of_all_threads)
{
	struct device *device = prepare(0);

	counter_add(device, COUNTER_frees, 1);
	other.frees = 10;
	own.frees = 100;
	ck_assert_uint_eq(counter_get(device, COUNTER_frees), 111);
	thread_stats_close(&other);
	ck_assert_uint_eq(counter_get(device, COUNTER_frees), 111);
	counter_sub(device, COUNTER_frees, 1);
	ck_assert_uint_eq(counter_get(device, COUNTER_frees), 110);
	ck_assert_uint_eq(counter_get(device_at(1), COUNTER_frees), 0);
}
END_TEST

START_TEST(one_word_may_be_a_part_of_several_counters)
{
	struct device *device = prepare(0);

	own.taken = 3;
	ck_assert_uint_eq(counter_get(device, COUNTER_misses), 3);
	ck_assert_uint_eq(counter_get(device, COUNTER_driver_allocs), 3);
	ck_assert_uint_eq(counter_get(device, COUNTER_allocs), 3);
}
END_TEST

START_TEST(a_gauge_goes_below_what_one_thread_has_seen)
{
	struct device *device = prepare(0);

	own.reserved = 5 * SIZE;
	counter_add(device, COUNTER_reserved_bytes, SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_bytes),
			  6 * SIZE);
	other.reserved = -4 * SIZE; /* it gives back what the first has taken */
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_bytes),
			  2 * SIZE);
	counter_sub(device, COUNTER_reserved_bytes, SIZE);
	own.reserved = 4 * SIZE;
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_bytes), 0);
}
END_TEST

START_TEST(a_free_that_is_seen_before_its_request_is_not_less_than_nothing)
{
	struct device *device = prepare(0);

	other.live.left = SIZE; /* has freed more than it took */
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 0);
	device_count_alloc(device, SIZE / 2, COUNTER_hits);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
	other.live.left = 0;
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), SIZE / 2);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), SIZE / 2);
}
END_TEST

START_TEST(only_what_was_published_is_known_without_a_lock)
{
	struct device *device = prepare(0);

	thread_stats_own = &own;
	own.live.left = other.live.left = -SIZE;
	ck_assert_uint_eq(counter_approx(device, COUNTER_live_bytes), SIZE);
	thread_stats_sync(&other);
	ck_assert_uint_eq(counter_approx(device, COUNTER_live_bytes), 2 * SIZE);
	own.live.left += 2 * SIZE;
	ck_assert_uint_eq(counter_approx(device, COUNTER_live_bytes), 0);
	own.live.left += SIZE;
	ck_assert_uint_eq(counter_approx(device, COUNTER_live_bytes), 0);
	ck_assert_int_eq(counter_balance(device, COUNTER_live_bytes), -SIZE);
}
END_TEST

START_TEST(what_a_thread_counts_of_one_device_is_not_anothers)
{
	prepare(0);
	thread_stats_own = &own;
	own.live.left = -SIZE;
	ck_assert_uint_eq(counter_approx(device_at(1), COUNTER_live_bytes), 0);
	ck_assert_uint_eq(counter_approx(device_at(0), COUNTER_live_bytes),
			  SIZE);
}
END_TEST

/* The words of a third thread, on a page that can't be read at first. */
static struct thread_stats *slow;
static int reads;

static void slow_read(int unused)
{
	(void)unused;
	reads++;
	mprotect(slow, sizeof(*slow), PROT_READ | PROT_WRITE);
	thread_stats_sync(&own);
}

/* The sums are made by this thread, which would wait for itself. */
START_TEST(who_syncs_does_not_wait_for_who_asks_for_sums)
{
	const struct sigaction action = {.sa_handler = slow_read};
	struct device *device = prepare(0);

	slow = mmap(NULL, sizeof(*slow), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(slow, MAP_FAILED);
	thread_stats_open(slow, device);
	slow->frees = 7;
	ck_assert(!sigaction(SIGSEGV, &action, NULL));
	ck_assert(!mprotect(slow, sizeof(*slow), PROT_NONE));
	alarm(HANG);
	ck_assert_uint_eq(counter_get(device, COUNTER_frees), 7);
	ck_assert_int_eq(reads, 1);
}
END_TEST

START_TEST(what_was_freed_since_the_last_fence_waits_for_one)
{
	struct device *device = prepare(1);

	other.freed = 3 * SIZE;
	ck_assert_uint_eq(quarantine_set(device, 0), 3 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes), 0);
	other.freed = 5 * SIZE;
	counter_add(device, COUNTER_quarantined_bytes, SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes),
			  3 * SIZE);
	/* With stream order nothing is quarantined. */
	atomic_store(&device->safe, UINT64_MAX);
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes), 0);
}
END_TEST

START_TEST(a_maximum_is_the_highest_that_it_was_raised_to)
{
	struct device *device = prepare(0);

	counter_raise(device, COUNTER_live_peak, 3 * SIZE);
	counter_raise(device, COUNTER_live_peak, SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 3 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
}
END_TEST

START_TEST(a_gauge_raises_its_maximum)
{
	struct device *device = prepare(0);

	counter_add(device, COUNTER_reserved_bytes, 4 * SIZE);
	counter_sub(device, COUNTER_reserved_bytes, 3 * SIZE);
	counter_add(device, COUNTER_reserved_bytes, 2 * SIZE);
	ck_assert_uint_eq(counter_approx(device, COUNTER_reserved_peak),
			  4 * SIZE);
	counter_add(device, COUNTER_reserved_bytes, 2 * SIZE);
	ck_assert_uint_eq(counter_approx(device, COUNTER_reserved_peak),
			  5 * SIZE);
}
END_TEST

/* The device's own part was never more than two. */
START_TEST(a_maximum_is_of_what_the_device_and_its_threads_have_together)
{
	struct device *device = prepare(0);

	thread_stats_own = &own;
	other.reserved = 3 * SIZE; /* not known to the calling thread */
	own.reserved = 2 * SIZE;
	counter_add(device, COUNTER_reserved_bytes, 2 * SIZE);
	other.reserved = own.reserved = 0;
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_peak), 7 * SIZE);
}
END_TEST

START_TEST(a_thread_that_syncs_raises_maxima)
{
	struct device *device = prepare(0);

	own.reserved = 3 * SIZE;
	own.live.left = -2 * SIZE;
	thread_stats_sync(&own);
	own.reserved = 0;
	own.live.left += 2 * SIZE;
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_bytes), 0);
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_peak), 3 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 2 * SIZE);
}
END_TEST

START_TEST(a_total_is_its_parts_together)
{
	struct device *device = prepare(0);

	thread_stats_own = &own;
	counter_add(device, COUNTER_misses, 1);
	other.hits.left = own.hits.left = LOOK_EVERY - 10;
	ck_assert_uint_eq(counter_get(device, COUNTER_allocs), 21);
	ck_assert_uint_eq(counter_approx(device, COUNTER_allocs), 11);
	counter_add(device, COUNTER_array_bytes, SIZE);
	counter_add(device, COUNTER_managed_bytes, SIZE);
	own.reserved = SIZE;
	ck_assert_uint_eq(counter_get(device, COUNTER_device_bytes), 3 * SIZE);
}
END_TEST

START_TEST(what_threads_have_reserved_becomes_the_devices)
{
	struct device *device = prepare(0);

	own.reserved = 3 * SIZE;
	thread_stats_close(&own);
	other.reserved = SIZE;
	thread_stats_claim_reserved();
	ck_assert_int_eq(other.reserved, 0);
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_bytes),
			  4 * SIZE);
	ck_assert_uint_eq(device->claim, 4 * SIZE);
}
END_TEST

int main(void)
{
	static const TTest *tests[15];
	size_t n = 0;

	tests[n++] = a_sum_is_of_the_device_and_of_all_threads;
	tests[n++] = one_word_may_be_a_part_of_several_counters;
	tests[n++] = a_gauge_goes_below_what_one_thread_has_seen;
	tests[n++] =
		a_free_that_is_seen_before_its_request_is_not_less_than_nothing;
	tests[n++] = only_what_was_published_is_known_without_a_lock;
	tests[n++] = what_a_thread_counts_of_one_device_is_not_anothers;
	tests[n++] = who_syncs_does_not_wait_for_who_asks_for_sums;
	tests[n++] = what_was_freed_since_the_last_fence_waits_for_one;
	tests[n++] = a_maximum_is_the_highest_that_it_was_raised_to;
	tests[n++] = a_gauge_raises_its_maximum;
	tests[n++] =
		a_maximum_is_of_what_the_device_and_its_threads_have_together;
	tests[n++] = a_thread_that_syncs_raises_maxima;
	tests[n++] = a_total_is_its_parts_together;
	tests[n++] = what_threads_have_reserved_becomes_the_devices;
	return tests_run("device", tests);
}
