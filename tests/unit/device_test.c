/* A device's figures, as they are seen while threads change theirs. */
#include "stats/counter.h"
#include "context/context.h"
#include "run.h"

enum { SIZE = 4096 };

/* What the caches have; the test's own. */
static struct stats caches;

static struct stats sum(const struct device *device)
{
	(void)device;
	return caches;
}

static bool count_alloc(const struct device *device, size_t size, bool hit)
{
	(void)device, (void)size, (void)hit;
	return false;
}

static const struct stats_source source = {
	.sum = sum, .approx = sum, .count_alloc = count_alloc};

START_TEST(a_free_that_is_seen_before_its_request_is_not_less_than_nothing)
{
	struct device *device = device_at(0);

	counters_source(&source);
	caches.live = -(uint64_t)SIZE;
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 0);
	device_count_alloc(device, SIZE / 2, COUNTER_hits);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), 0);
	caches.live = 0;
	ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes), SIZE / 2);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), SIZE / 2);
}
END_TEST

START_TEST(what_was_freed_since_the_last_fence_waits_for_one)
{
	struct device *device = device_at(1);

	counters_source(&source);
	caches.freed = 3 * SIZE;
	ck_assert_uint_eq(quarantine_set(device, 0), 3 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes), 0);
	caches.freed = 5 * SIZE;
	counter_add(device, COUNTER_quarantined_bytes, SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes),
			  3 * SIZE);
	atomic_store(&device->safe, UINT64_MAX); /* in stream order, none */
	ck_assert_uint_eq(counter_get(device, COUNTER_quarantined_bytes), 0);
}
END_TEST

int main(void)
{
	static const TTest *tests[3];

	tests[0] =
		a_free_that_is_seen_before_its_request_is_not_less_than_nothing;
	tests[1] = what_was_freed_since_the_last_fence_waits_for_one;
	return tests_run("device", tests);
}
