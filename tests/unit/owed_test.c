/* What is owed goes back while the program rests, and otherwise stays. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <check.h>

#include "context/context.h"
#include "context/context_use.h"
#include "heap/deferred_free.h"
#include "heap/owed.h"
#include "heap/reclaim.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "order/marks.h"
#include "order/stream_order.h"
#include "preload/barrier.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "run.h"
#include "stats/counter.h"

enum { BLOCKS = 10, SPAN = 1000 };

static struct device devices[DEVICE_ALL];
static int left;      /* idle blocks */
static int pending;   /* of them */
static int works;     /* looks until the work is over; -1: for ever */
static int looks;     /* how often it was asked whether there is work */
static int over_from; /* blocks left when the device has work again */
static bool calls_come, calls_go_on, crosses;
static bool captures_on, captures_known;
static int captures_end; /* looks until the captures end; 0: they don't */
static pthread_t caller;
static _Atomic bool called;

static void *call(void *unused)
{
	(void)unused;
	calls_enter();
	called = true;
	calls_leave();
	return NULL;
}

/* A block goes back. Another thread's call waits meanwhile. */
size_t reclaim_one(struct device *device)
{
	(void)device;
	if (!pending)
		return 0;
	ck_assert(calls_held || !calls_are_all_seen());
	if (calls_come && left == BLOCKS) {
		ck_assert(!pthread_create(&caller, NULL, call, NULL));
		while (!calls_are_awaited())
			sched_yield();
	}
	ck_assert(!called);
	if (crosses)
		call(NULL);
	left--;
	pending--;
	return SPAN;
}

bool reclaim_part(struct device *device)
{
	(void)device;
	pending += left > pending;
	return pending;
}

void deferred_free_release(struct device *device)
{
	(void)device;
}

bool device_is_idle(const struct device *device)
{
	(void)device;
	ck_assert(looks || !devices->pressed);
	looks++;
	return left > over_from;
}

void pressure_begin(struct device *device)
{
	device->pressed++;
}

void pressure_end(struct device *device)
{
	device->pressed--;
}

bool device_is_host(const struct device *device)
{
	(void)device;
	return false;
}

int marks_set(struct marks *marks, const struct device *device)
{
	(void)marks, (void)device;
	ck_assert(!captures_on);
	return 0;
}

int marks_ask(struct marks *marks)
{
	(void)marks;
	if (calls_go_on && !calls_held) {
		calls_enter();
		calls_leave();
	}
	ck_assert(!devices->pressed);
	looks++;
	works -= works > 0;
	return works;
}

void marks_drop(struct marks *marks)
{
	(void)marks;
}

bool contexts_awaited(void)
{
	return false;
}

bool capture_any(void)
{
	if (captures_end && !--captures_end)
		captures_on = false;
	return captures_on;
}

bool capture_block(void)
{
	return !captures_on;
}

bool capture_work_is_known(void)
{
	return captures_known;
}

/* As marks_ask. */
bool capture_work_is_over(void)
{
	ck_assert(captures_known || !calls_held); /* or calls wait in vain */
	looks++;
	works -= works > 0;
	return captures_known && !works;
}

void capture_work_come(uintptr_t key)
{
	(void)key;
}

void capture_unblock(void)
{
}

void stream_work_starts(void)
{
}

void serving_guard_fork(void)
{
}

uint64_t counter_get(const struct device *device, enum counter counter)
{
	(void)device;
	return counter == COUNTER_idle_bytes ? (uint64_t)left * SPAN : 0;
}

struct device *device_at(int ordinal)
{
	return &devices[ordinal];
}

static void open(void)
{
	ck_assert(barrier_open());
	left = BLOCKS;
}

START_TEST(as_much_as_is_lacking_goes_back)
{
	open();
	ck_assert_uint_eq(owed_now(devices, 3 * SPAN - 1), 3 * SPAN);
	ck_assert_int_eq(left, BLOCKS - 3);
	ck_assert(!calls_held);
}
END_TEST

START_TEST(a_call_waits_until_enough_has_gone)
{
	open();
	calls_come = true;
	ck_assert_uint_eq(owed_now(devices, 3 * SPAN), 3 * SPAN);
	pthread_join(caller, NULL);
	ck_assert(called);
}
END_TEST

START_TEST(what_is_owed_goes_on_until_a_call_comes)
{
	open();
	calls_come = true;
	owed_add(devices, 3 * SPAN);
	owed_give(devices);
	pthread_join(caller, NULL);
	ck_assert_int_eq(left, BLOCKS - 1);
	ck_assert_uint_eq(devices->owed, 2 * SPAN);
}
END_TEST

START_TEST(nothing_goes_after_a_call_of_its_own)
{
	open();
	crosses = true;
	ck_assert_uint_eq(owed_now(devices, 3 * SPAN), SPAN);
}
END_TEST

START_TEST(a_request_waits_for_the_end_of_work)
{
	open();
	works = 5;
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	ck_assert_int_eq(looks, 5);
}
END_TEST

START_TEST(calls_that_go_on_and_on_wait_for_a_request)
{
	open();
	calls_go_on = true;
	ck_assert_uint_eq(owed_try(devices, SPAN), 0);
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	ck_assert(!calls_held);
}
END_TEST

START_TEST(what_others_free_meanwhile_is_theirs)
{
	open();
	works = 5;
	devices->pressed = 1; /* by the request */
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	ck_assert_int_eq(devices->pressed, 1);
}
END_TEST

START_TEST(for_less_than_a_failure_nobody_waits)
{
	open();
	works = 5;
	ck_assert_uint_eq(owed_try(devices, SPAN), 0);
	ck_assert_int_eq(looks, 1);
	ck_assert_uint_eq(devices->owed, SPAN);
}
END_TEST

START_TEST(in_vain_it_waits_once)
{
	int before;

	open();
	works = -1;
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	before = looks;
	ck_assert_int_gt(before, 1);
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	ck_assert_int_eq(looks, before + 1);
	ck_assert_uint_eq(devices->owed, SPAN);
	owed_give(devices);
	ck_assert_int_eq(looks, before + 2);
	ck_assert_uint_eq(devices->owed, SPAN);
	works = 0;
	owed_give(devices);
	ck_assert_int_eq(left, BLOCKS - 1);
	ck_assert_uint_eq(devices->owed, 0);
}
END_TEST

static _Atomic bool resting;

static void *rests(void *unused)
{
	ck_assert(calls_pause_first());
	resting = true;
	thread_nap(50000000);
	calls_resume();
	return unused;
}

/* What that gives back is about to be there. */
START_TEST(a_request_waits_for_another_threads_rest)
{
	pthread_t thread;

	open();
	devices->waited_in_vain = true;
	ck_assert(!pthread_create(&thread, NULL, rests, NULL));
	while (!resting)
		sched_yield();
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	pthread_join(thread, NULL);
}
END_TEST

/* Another thread of the program waits for its work meanwhile. */
START_TEST(a_call_waits_in_vain_once)
{
	int before;

	open();
	works = -1;
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	before = looks;
	devices->waited_in_vain = false;
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	ck_assert_int_eq(looks, before + 1);
	waits_allow();
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	ck_assert_int_gt(looks, before + 2);
	waits_allow();
}
END_TEST

START_TEST(it_does_not_wait_for_more_than_there_is)
{
	open();
	works = -1;
	ck_assert_uint_eq(owed_now(devices, (BLOCKS + 1) * SPAN), 0);
	ck_assert_int_eq(looks, 1);
}
END_TEST

START_TEST(beside_unseen_calls_each_block_is_asked_for)
{
	open();
	calls_unseen();
	over_from = BLOCKS - 2;
	devices->pressed = 1;
	ck_assert_uint_eq(owed_now(devices, 3 * SPAN), 2 * SPAN);
	ck_assert_int_eq(left, BLOCKS - 2);
	ck_assert_int_eq(devices->pressed, 1);
}
END_TEST

START_TEST(beside_a_capture_as_much_as_is_lacking_goes_back)
{
	open();
	captures_on = captures_known = true;
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, 3 * SPAN - 1), 3 * SPAN);
	waits_allow();
	ck_assert_int_eq(left, BLOCKS - 3);
	ck_assert(!calls_held);
}
END_TEST

START_TEST(beside_a_capture_a_request_waits_for_the_end_of_work)
{
	open();
	captures_on = captures_known = true;
	works = 5;
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	waits_allow();
	ck_assert_int_eq(looks, 5);
}
END_TEST

START_TEST(beside_a_capture_nothing_goes_under_work)
{
	open();
	captures_on = true;
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, SPAN), 0);
	waits_allow();
	ck_assert_int_eq(left, BLOCKS);
	ck_assert_uint_eq(devices->owed, SPAN);
}
END_TEST

START_TEST(a_request_waits_for_the_end_of_a_capture)
{
	open();
	captures_on = true;
	captures_end = 10;
	waits_forbid();
	ck_assert_uint_eq(owed_now(devices, SPAN), SPAN);
	waits_allow();
}
END_TEST

/* Nobody lacks it. */
START_TEST(beside_a_capture_what_is_owed_stays)
{
	open();
	owed_add(devices, SPAN);
	captures_on = captures_known = true;
	owed_give(devices);
	ck_assert_int_eq(left, BLOCKS);
	ck_assert_int_eq(looks, 0);
	captures_on = false;
	owed_give(devices);
	ck_assert_int_eq(left, BLOCKS - 1);
}
END_TEST

int main(void)
{
	return tests_run(
		"owed",
		(const TTest *const[]){
			as_much_as_is_lacking_goes_back,
			a_call_waits_until_enough_has_gone,
			what_is_owed_goes_on_until_a_call_comes,
			nothing_goes_after_a_call_of_its_own,
			a_request_waits_for_the_end_of_work,
			calls_that_go_on_and_on_wait_for_a_request,
			what_others_free_meanwhile_is_theirs,
			for_less_than_a_failure_nobody_waits,
			in_vain_it_waits_once, a_call_waits_in_vain_once,
			it_does_not_wait_for_more_than_there_is,
			beside_unseen_calls_each_block_is_asked_for,
			beside_a_capture_as_much_as_is_lacking_goes_back,
			beside_a_capture_a_request_waits_for_the_end_of_work,
			beside_a_capture_nothing_goes_under_work,
			a_request_waits_for_the_end_of_a_capture,
			beside_a_capture_what_is_owed_stays,
			a_request_waits_for_another_threads_rest, NULL});
}
