/* What bounds idle memory, with requests reported as the slow path reports
 * them. The pool is only a few figures: how much is live, how much is reserved,
 * and how many blocks are idle. */
#include <string.h>

#include "cuda/backing.h"
#include "heap/idle_limit.h"
#include "context/context.h"
#include "heap/limit.h"
#include "stats/counter.h"
#include "run.h"

enum { MIB = 1 << 20, SPAN = 64 * MIB, SPANS = 64 };

static size_t all = (size_t)64 << 30; /* bytes of the device */

int backing_device_bytes(int ordinal, size_t *bytes)
{
	(void)ordinal;
	*bytes = all;
	return 0;
}

size_t limit_get(enum limit limit)
{
	(void)limit;
	return 0;
}

static struct device *device;
static size_t idle[SPANS]; /* [n] counts blocks of SPAN plus n MiB */

static void start(enum idle_kind kind, size_t number)
{
	const struct idle_limit limit = {kind, number};

	device = device_at(0);
	memset(idle, 0, sizeof(idle));
	memset(device->counters, 0, sizeof(device->counters));
	device->freed = device->claim = 0;
	idle_limit_set(&limit);
}

static uint64_t reserved(void)
{
	return counter_get(device, COUNTER_reserved_bytes);
}

static size_t span_at(size_t at)
{
	return SPAN + at * MIB;
}

/* Gives back idle blocks, the largest first. */
static void give_back(size_t bytes)
{
	for (size_t at = SPANS; at-- && bytes;)
		for (; idle[at] && bytes; idle[at]--) {
			idle_limit_shed(device, span_at(at));
			device_unreserve(device, span_at(at));
			bytes -= bytes < span_at(at) ? bytes : span_at(at);
		}
}

/* Makes one request and its free, as a pool of exact spans would. Returns
 * whether the driver was asked. */
static bool use(size_t at)
{
	size_t span = span_at(at);
	bool miss = !idle[at];

	if (miss) {
		give_back(idle_limit_excess(device, span, span));
		device_reserve(device, span);
		idle_limit_taken(device, span, span);
	} else {
		idle[at]--;
	}
	device_count_alloc(device, span, miss ? COUNTER_misses : COUNTER_hits);
	device_count_free(device, span);
	atomic_fetch_add(&device->freed, span);
	idle[at]++;
	return miss;
}

START_TEST(a_job_of_few_spans_keeps_them_all)
{
	start(IDLE_AUTO, 0);
	/* Three are live at a time, so that four are within one and a half
	 * times that. */
	device_count_alloc(device, 3 * span_at(3), COUNTER_hits);
	for (int round = 0; round < 10; round++)
		for (size_t at = 0; at < 4; at++)
			ck_assert_int_eq(use(at), round == 0);
}
END_TEST

START_TEST(a_job_whose_spans_are_always_new_is_held)
{
	start(IDLE_AUTO, 0);
	ck_assert_uint_eq(idle_limit_excess(device, SPAN, SPAN), 0);
	for (size_t at = 0; at < SPANS; at++) {
		ck_assert(use(at));
		ck_assert_uint_le(reserved(), 2 * span_at(at));
	}
}
END_TEST

START_TEST(blocks_have_little_to_spare_on_a_small_device)
{
	size_t most = 0;

	all = (size_t)32 * 3 * MIB;
	start(IDLE_AUTO, 0);
	for (size_t at = 0; at < SPANS; at++) {
		use(at);
		if (most < idle_limit_slack(device, span_at(at) + MIB).idle)
			most = idle_limit_slack(device, span_at(at) + MIB).idle;
	}
	ck_assert_uint_eq(most, 3 * MIB);
}
END_TEST

START_TEST(a_job_that_repeats_itself_gets_what_it_needs)
{
	int missed = 0;

	start(IDLE_AUTO, 0);
	for (int round = 0; round < 20; round++) {
		missed = 0;
		for (size_t at = 0; at < 5; at++)
			missed += use(at);
	}
	ck_assert_int_eq(missed, 0);
	ck_assert_uint_eq(reserved(), 5 * (uint64_t)SPAN + 10 * MIB);
}
END_TEST

START_TEST(a_job_that_would_take_far_more_than_is_live_is_held_for_good)
{
	start(IDLE_AUTO, 0);
	for (int round = 0; round < 20; round++)
		for (size_t at = 0; at < SPANS; at++) {
			use(at);
			ck_assert_uint_le(reserved(), 2 * span_at(SPANS));
		}
}
END_TEST

START_TEST(no_limit_is_none)
{
	start(IDLE_OFF, 0);
	for (size_t at = 0; at < SPANS; at++)
		ck_assert(use(at));
	ck_assert_uint_gt(reserved(), (uint64_t)SPANS * SPAN);
	ck_assert_uint_eq(idle_limit_past(device), 0);
	ck_assert_uint_eq(idle_limit_idle_most(device), SIZE_MAX);
}
END_TEST

START_TEST(slack_comes_with_new_spans_and_has_an_end)
{
	struct slack slack;

	start(IDLE_AUTO, 0);
	use(0);
	slack = idle_limit_slack(device, MIB);
	ck_assert_uint_eq(slack.idle, 0);
	ck_assert_uint_eq(slack.fresh, 0);
	for (size_t at = 1; at < 10; at++)
		use(at);
	slack = idle_limit_slack(device, SPAN + 50 * MIB);
	ck_assert_uint_gt(slack.idle, 10 * MIB);
	ck_assert_uint_le(slack.idle, (SPAN + 50 * MIB) / 4);
	ck_assert_uint_gt(slack.fresh, MIB);
	idle_limit_checkout(device, SPAN, SPAN + slack.idle);
	slack = idle_limit_slack(device, SPAN + 50 * MIB);
	ck_assert_uint_lt(slack.idle, MIB);
	idle_limit_checkin(device, SPAN, SPAN + 10 * MIB);
	slack = idle_limit_slack(device, SPAN + 50 * MIB);
	ck_assert_uint_ge(slack.idle, 10 * MIB);
}
END_TEST

/* One block of `given` bytes serves a request of span bytes, as a thread's
 * cache tells it. */
static struct roomy_event served(size_t span, size_t given)
{
	return (struct roomy_event){
		.span = span, .given = given, .more = 1, .most = 1};
}

static struct roomy_event freed(size_t span, size_t given)
{
	return (struct roomy_event){
		.span = span, .given = given, .more = -1, .least = -1};
}

static void tell(struct lease *lease, struct roomy_event event)
{
	idle_limit_lease(device, &event, 1, 1, lease);
}

/* The job would take far more than is live if all was kept, and its spans are
 * new. */
static struct lease lease_of_a_job(size_t spans)
{
	struct lease lease = {0};

	start(IDLE_AUTO, 0);
	for (size_t at = 0; at < spans; at++)
		use(at);
	idle_limit_lease(device, NULL, 0, 1, &lease);
	return lease;
}

START_TEST(a_lease_is_what_a_request_gets)
{
	struct lease lease = lease_of_a_job(10);
	size_t slack = idle_limit_slack(device, SPAN).idle;

	ck_assert_uint_gt(slack, 10 * MIB);
	ck_assert_uint_le(lease.left, slack);
	ck_assert_uint_ge(lease.left + MIB, slack);
	idle_limit_lease(device, NULL, 0, 4, &lease);
	ck_assert_uint_le(lease.left, slack / 4);
	tell(&lease, served(SPAN, SPAN + 9 * MIB));
	ck_assert_uint_le(lease.left, slack - 9 * MIB);
	tell(&lease, freed(SPAN, SPAN + 9 * MIB));
	ck_assert_uint_ge(lease.left + MIB, slack);
	start(IDLE_OFF, 0);
	idle_limit_lease(device, NULL, 0, 1, &lease);
	ck_assert_uint_eq(lease.left, 0);
}
END_TEST

START_TEST(a_lease_ends_where_keeping_pays_off)
{
	struct lease lease = lease_of_a_job(6);

	ck_assert_uint_gt(lease.left, 0);
	/* No new span comes while more than twice the peak is freed. A request
	 * of a new one is not what a lease is for. */
	atomic_fetch_add(&device->freed, 3 * (uint64_t)SPAN);
	idle_limit_lease(device, NULL, 0, 1, &lease);
	ck_assert_uint_eq(lease.left, 0);
	ck_assert_uint_gt(idle_limit_slack(device, span_at(20)).idle, 0);
}
END_TEST

START_TEST(what_is_told_late_counts_as_what_is_told_at_once)
{
	struct lease lease = lease_of_a_job(10);
	struct roomy_event event = {.span = SPAN + 4096, .given = span_at(8)};
	size_t beside = span_at(20);

	/* Served three times at once at most, and three times at the end. */
	event.least = -1;
	event.more = event.most = 3;
	idle_limit_checkout(device, event.span, event.given);
	tell(&lease, event); /* a free of that, and four requests */
	for (int i = 0; i < 4; i++)
		tell(&lease, freed(event.span, event.given));
	/* The pool that keeps all has four more of that span now: four requests
	 * are repeats, and the fifth is new. */
	for (int i = 0; i < 4; i++)
		idle_limit_checkin(device, beside, event.span);
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), 0);
	idle_limit_checkin(device, beside, event.span);
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), event.span);
}
END_TEST

START_TEST(what_is_told_after_a_new_beginning_is_only_to_spare)
{
	struct lease lease = lease_of_a_job(10);
	size_t given = SPAN + 2 * MIB, left;

	tell(&lease, served(SPAN, given));
	idle_limit_reset(device);
	tell(&lease, freed(SPAN, given));
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), 0);
	for (size_t at = 20; at < 30; at++)
		use(at);
	/* This free is told before its request, by another thread. */
	tell(&lease, freed(SPAN, given));
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), given);
	left = lease.left;
	tell(&lease, served(SPAN, given));
	ck_assert_uint_eq(lease.left, left);
	tell(&lease, served(SPAN, given));
	ck_assert_uint_le(lease.left, left - 2 * MIB);
}
END_TEST

START_TEST(what_a_pool_that_keeps_all_would_not_have_is_surplus)
{
	start(IDLE_AUTO, 0);
	use(0);
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), 0);
	/* The block was made larger than its request needs, and freed again. */
	device_reserve(device, span_at(8));
	idle_limit_taken(device, span_at(1), span_at(8));
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), 0);
	idle_limit_checkin(device, span_at(1), span_at(8));
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), span_at(8));
	ck_assert_uint_eq(idle_limit_surplus(device, span_at(8)), 0);
	idle_limit_shed(device, span_at(8));
	ck_assert_uint_eq(idle_limit_surplus(device, SIZE_MAX), 0);
}
END_TEST

START_TEST(what_waits_to_go_back_is_not_had_twice)
{
	start(IDLE_AUTO, 0);
	device_count_alloc(device, 4 * (size_t)SPAN, COUNTER_hits);
	device_count_free(device, 4 * (size_t)SPAN);
	device_reserve(device, 5 * (size_t)SPAN);
	for (int i = 0; i < 5; i++)
		idle_limit_shed(device, SPAN);
	counter_add(device, COUNTER_pending_bytes, 5 * (uint64_t)SPAN);
	ck_assert_uint_eq(idle_limit_slack(device, SPAN).idle, 0);
	counter_add(device, COUNTER_reserved_bytes, 5 * (uint64_t)SPAN);
	ck_assert_uint_gt(idle_limit_slack(device, SPAN).idle, 0);
}
END_TEST

START_TEST(many_spans_are_told_apart)
{
	start(IDLE_AUTO, 0);
	for (size_t i = 1; i < 100000; i++)
		idle_limit_shed(device, i * 4096);
	/* The last 1,000 at least are still known: each could be served
	 * again. */
	for (size_t i = 99999; i > 99000; i--) {
		idle_limit_checkin(device, 4096, i * 4096);
		idle_limit_checkin(device, 4096, i * 4096);
	}
	ck_assert_uint_ne(idle_limit_surplus(device, SIZE_MAX), 0);
}
END_TEST

START_TEST(a_number_bounds_what_is_idle)
{
	start(IDLE_BYTES, 4 * MIB);
	ck_assert_uint_eq(idle_limit_idle_most(device), 4 * MIB);
	ck_assert_uint_eq(idle_limit_past(device), 0);
	counter_add(device, COUNTER_idle_bytes, 5 * MIB);
	ck_assert_uint_eq(idle_limit_past(device), MIB);
	start(IDLE_PERCENT, 50);
	device_count_alloc(device, 100 * MIB, COUNTER_hits);
	ck_assert_uint_ge(idle_limit_idle_most(device), 50 * MIB - 100);
	ck_assert_uint_le(idle_limit_idle_most(device), 50 * MIB);
	ck_assert_uint_eq(idle_limit_idle_most(device_at(DEVICE_HOST)),
			  SIZE_MAX);
}
END_TEST

int main(void)
{
	static const TTest *tests[16];
	size_t n = 0;

	tests[n++] = a_job_of_few_spans_keeps_them_all;
	tests[n++] = a_job_whose_spans_are_always_new_is_held;
	tests[n++] = blocks_have_little_to_spare_on_a_small_device;
	tests[n++] = a_job_that_repeats_itself_gets_what_it_needs;
	tests[n++] =
		a_job_that_would_take_far_more_than_is_live_is_held_for_good;
	tests[n++] = no_limit_is_none;
	tests[n++] = slack_comes_with_new_spans_and_has_an_end;
	tests[n++] = a_lease_is_what_a_request_gets;
	tests[n++] = a_lease_ends_where_keeping_pays_off;
	tests[n++] = what_is_told_late_counts_as_what_is_told_at_once;
	tests[n++] = what_is_told_after_a_new_beginning_is_only_to_spare;
	tests[n++] = what_a_pool_that_keeps_all_would_not_have_is_surplus;
	tests[n++] = what_waits_to_go_back_is_not_had_twice;
	tests[n++] = many_spans_are_told_apart;
	tests[n++] = a_number_bounds_what_is_idle;
	return tests_run("bound", tests);
}
