/* What threads note comes back: all of it, once, in the order of its time. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/ring.h"
#include "run.h"

enum {
	THREADS = 4,
	EACH = 20000,  /* notes of a thread; they fit into its ring */
	MANY = 200000, /* they do not */
	EVENTS = THREADS * MANY,
	MORE = 100,
	SPIN_NS = 30000000,
};

static struct mnm_record_event events[EVENTS];
static uint64_t dropped;

static size_t taken(uint64_t until, size_t most)
{
	return record_rings_take(until, events, most, &dropped);
}

static size_t all_taken(void)
{
	return taken(UINT64_MAX, EVENTS);
}

/* A note of that number. */
static void note(uint64_t number)
{
	record_note(MNM_RECORD_ALLOC, 0, number, 0, 0, 0, 0, 0, 0);
}

static uint32_t self(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

/* A moment after all notes so far, and before those that follow. */
static uint64_t moment(void)
{
	uint64_t before = record_clock(), now, after;

	do
		now = record_clock();
	while (now == before);
	do
		after = record_clock();
	while (after == now);
	return now;
}

static void in_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, run, arg));
	pthread_join(thread, NULL);
}

START_TEST(a_note_comes_back_with_all_that_it_says)
{
	const uint64_t most = (UINT64_C(1) << 48) - 1;
	uint64_t before, after;

	record_rings_open();
	before = record_clock();
	record_note(MNM_RECORD_LIVE, 0xff, UINT64_MAX, most, most - 1,
		    MNM_RECORD_NOWHERE, 0xfe, 0xffff, most - 2);
	record_note(MNM_RECORD_FREE, 0, 0, 0, 0, 0, 0, 0, 0);
	after = record_clock();
	ck_assert_uint_eq(all_taken(), 2);
	ck_assert_uint_eq(events[0].kind, MNM_RECORD_LIVE);
	ck_assert_uint_eq(events[0].flags, 0xff);
	ck_assert_uint_eq(events[0].address, UINT64_MAX);
	ck_assert_uint_eq(events[0].size, most);
	ck_assert_uint_eq(events[0].span, most - 1);
	ck_assert_uint_eq(events[0].device, MNM_RECORD_NOWHERE);
	ck_assert_uint_eq(events[0].pool, 0xfe);
	ck_assert_uint_eq(events[0].stream, 0xffff);
	ck_assert_uint_eq(events[0].site, most - 2);
	ck_assert_uint_eq(events[0].thread, self());
	ck_assert_uint_ge(events[0].time, before);
	ck_assert_uint_le(events[0].time, events[1].time);
	ck_assert_uint_le(events[1].time, after);
	ck_assert_uint_eq(events[1].kind, MNM_RECORD_FREE);
	ck_assert_uint_eq(events[1].flags, 0);
	ck_assert_uint_eq(events[1].address, 0);
	ck_assert_uint_eq(events[1].size, 0);
	ck_assert_uint_eq(events[1].span, 0);
	ck_assert_uint_eq(events[1].device, 0);
	ck_assert_uint_eq(events[1].pool, 0);
	ck_assert_uint_eq(events[1].stream, 0);
	ck_assert_uint_eq(events[1].site, 0);
	ck_assert_uint_eq(events[1].thread, self());
}
END_TEST

/* A program may ask for any size; what is written has to stay readable. */
START_TEST(a_size_that_no_device_has_changes_nothing_else)
{
	record_rings_open();
	record_note(MNM_RECORD_FAILED, MNM_RECORD_SERVED, 0, UINT64_MAX, 0, 3,
		    5, 7, 9);
	ck_assert_uint_eq(all_taken(), 1);
	ck_assert_uint_eq(events[0].kind, MNM_RECORD_FAILED);
	ck_assert_uint_eq(events[0].flags, MNM_RECORD_SERVED);
	ck_assert_uint_ge(events[0].size, (UINT64_C(1) << 48) - 1);
	ck_assert_uint_eq(events[0].device, 3);
	ck_assert_uint_eq(events[0].pool, 5);
}
END_TEST

static void numbers_check(size_t count, uint64_t first)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(events[i].address, first + i);
}

START_TEST(notes_come_in_their_order_and_once)
{
	record_rings_open();
	for (uint64_t i = 0; i < 4 * RING_NOTES; i += RING_NOTES / 4) {
		for (uint64_t j = 0; j < RING_NOTES / 4; j++)
			note(i + j);
		ck_assert_uint_eq(all_taken(), RING_NOTES / 4);
		numbers_check(RING_NOTES / 4, i);
	}
	ck_assert_uint_eq(all_taken(), 0);
	ck_assert_uint_eq(dropped, 0);
}
END_TEST

START_TEST(only_so_many_are_taken_as_there_is_room_for)
{
	record_rings_open();
	for (uint64_t i = 0; i < 10; i++)
		note(i);
	ck_assert_uint_eq(taken(UINT64_MAX, 0), 0);
	ck_assert_uint_eq(taken(UINT64_MAX, 7), 7);
	numbers_check(7, 0);
	ck_assert_uint_eq(taken(UINT64_MAX, 7), 3);
	numbers_check(3, 7);
}
END_TEST

START_TEST(what_is_younger_waits)
{
	uint64_t until;

	record_rings_open();
	until = moment();
	note(0);
	ck_assert_uint_eq(taken(until, EVENTS), 0);
	until = moment();
	note(1);
	ck_assert_uint_eq(taken(until, EVENTS), 1);
	numbers_check(1, 0);
	ck_assert_uint_eq(all_taken(), 1);
	numbers_check(1, 1);
}
END_TEST

static void *noting(void *arg)
{
	uint64_t first = (uint64_t)(uintptr_t)arg << 32;

	for (uint64_t i = 0; i < EACH; i++)
		note(first + i);
	return NULL;
}

/* Each thread's notes have numbers that follow on each other, but for those
 * that were dropped. */
static void threads_check(size_t count)
{
	uint64_t next[THREADS] = {0};
	uint32_t numbers[THREADS] = {0};

	for (size_t i = 0; i < count; i++) {
		uint64_t thread = events[i].address >> 32;
		uint64_t number = events[i].address & UINT32_MAX;

		ck_assert_uint_lt(thread, THREADS);
		ck_assert_uint_ge(number, next[thread]);
		if (next[thread])
			ck_assert_uint_eq(events[i].thread, numbers[thread]);
		numbers[thread] = events[i].thread;
		next[thread] = number + 1;
	}
}

START_TEST(notes_of_threads_are_merged_by_their_times)
{
	pthread_t threads[THREADS];

	record_rings_open();
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert(
			!pthread_create(&threads[i], NULL, noting, (void *)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(all_taken(), THREADS * EACH);
	ck_assert_uint_eq(dropped, 0);
	for (size_t i = 1; i < THREADS * EACH; i++)
		ck_assert_uint_ge(events[i].time, events[i - 1].time);
	threads_check(THREADS * EACH);
}
END_TEST

/* Two rings whose notes alternate. */
START_TEST(each_note_of_another_thread_comes_at_its_time)
{
	record_rings_open();
	for (uintptr_t i = 0; i < 3; i++) {
		note(i);
		moment();
		in_thread(noting, (void *)1);
		moment();
	}
	ck_assert_uint_eq(all_taken(), 3 + 3 * EACH);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(events[i * (EACH + 1)].address, i);
		ck_assert_uint_eq(events[i * (EACH + 1)].thread, self());
	}
}
END_TEST

static _Atomic int running;

static void *noting_much(void *arg)
{
	uint64_t first = (uint64_t)(uintptr_t)arg << 32;

	for (uint64_t i = 0; i < MANY; i++) {
		note(first + i);
		if (!(i % 5000))
			sched_yield();
	}
	running--;
	return NULL;
}

START_TEST(while_notes_are_taken_none_is_lost_unseen_or_comes_twice)
{
	pthread_t threads[THREADS];
	size_t count = 0;
	bool last;

	record_rings_open();
	running = THREADS;
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, noting_much,
					  (void *)i));
	do {
		last = !running;
		count += record_rings_take(record_clock(), events + count,
					   EVENTS - count, &dropped);
	} while (!last);
	count += record_rings_take(UINT64_MAX, events + count, EVENTS - count,
				   &dropped);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(count + dropped, EVENTS);
	threads_check(count);
}
END_TEST

/* The first ring is a small one, beside which there is a large one then. */
START_TEST(a_full_ring_drops_and_counts_and_goes_on)
{
	record_rings_open();
	for (int i = 0; i < 3; i++) {
		uint64_t room = i ? RING_LARGE : RING_NOTES;

		dropped = 0;
		for (uint64_t j = 0; j < room + MORE; j++)
			note(j);
		ck_assert_uint_eq(all_taken(), room);
		numbers_check(room, 0);
		ck_assert_uint_eq(dropped, MORE);
	}
	dropped = 0;
	note(77);
	ck_assert_uint_eq(all_taken(), 1);
	numbers_check(1, 77);
	ck_assert_uint_eq(dropped, 0);
}
END_TEST

START_TEST(a_ring_has_as_much_room_as_was_taken_from_it)
{
	record_rings_open();
	for (uint64_t i = 0; i < RING_NOTES; i++)
		note(i);
	ck_assert_uint_eq(taken(UINT64_MAX, RING_SMALL + 10), RING_SMALL + 10);
	for (uint64_t i = 0; i < 11; i++)
		note(RING_NOTES + i);
	ck_assert_uint_eq(all_taken(), RING_LARGE);
	numbers_check(RING_LARGE, RING_SMALL + 10);
	ck_assert_uint_eq(dropped, 1);
}
END_TEST

static void *filling(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < RING_NOTES + MORE; i++)
		note(i);
	return NULL;
}

/* So that many threads do not take all memory. */
START_TEST(there_are_only_so_many_large_rings)
{
	pthread_t threads[RINGS_LARGE + 2];
	uint64_t most = RINGS_LARGE * (uint64_t)RING_LARGE +
			(RINGS_LARGE + 2) * (uint64_t)RING_SMALL;
	uint64_t made = (RINGS_LARGE + 2) * (uint64_t)(RING_NOTES + MORE);

	record_rings_open();
	for (int i = 0; i < RINGS_LARGE + 2; i++)
		ck_assert(!pthread_create(&threads[i], NULL, filling, NULL));
	for (int i = 0; i < RINGS_LARGE + 2; i++)
		pthread_join(threads[i], NULL);
	all_taken();
	ck_assert_uint_ge(dropped, made - most);
}
END_TEST

static struct record_ring *ring_was;
static uint32_t thread_was;

/* With one note, of the number that arg points to. */
static void *noting_once(void *arg)
{
	note(*(uint64_t *)arg);
	ring_was = record_ring_own;
	thread_was = self();
	return NULL;
}

START_TEST(a_thread_that_has_ended_leaves_its_notes)
{
	uint64_t number = 5;

	record_rings_open();
	in_thread(noting_once, &number);
	ck_assert_uint_eq(all_taken(), 1);
	ck_assert_uint_eq(events[0].address, 5);
	ck_assert_uint_eq(events[0].thread, thread_was);
}
END_TEST

START_TEST(its_ring_is_used_again_once_it_was_read)
{
	uint64_t number = 5;
	struct record_ring *ring;

	record_rings_open();
	in_thread(noting_once, &number);
	ring = ring_was;
	in_thread(noting_once, &number);
	ck_assert_ptr_ne(ring_was, ring); /* its note was not read yet */
	ck_assert_uint_eq(all_taken(), 2);
	note(6);
	ck_assert(record_ring_own == ring || record_ring_own == ring_was);
	ring = record_ring_own == ring ? ring_was : ring;
	in_thread(noting_once, &number);
	ck_assert_ptr_eq(ring_was, ring);
	ck_assert_uint_eq(all_taken(), 2);
	ck_assert_uint_eq(events[0].thread, self());
	ck_assert_uint_eq(events[1].thread, thread_was);
}
END_TEST

START_TEST(threads_that_come_and_go_share_one_ring)
{
	struct record_ring *ring = NULL;

	record_rings_open();
	for (uint64_t i = 0; i < 200; i++) {
		in_thread(noting_once, &i);
		ck_assert_uint_eq(all_taken(), 1);
		numbers_check(1, i);
		ck_assert_uint_eq(events[0].thread, thread_was);
		ck_assert(!ring || ring == ring_was);
		ring = ring_was;
	}
}
END_TEST

/* As before there is a reader. */
START_TEST(threads_that_end_unread_leave_only_so_many_rings)
{
	record_rings_open();
	for (uint64_t i = 0; i < RINGS_MOST + 5; i++)
		in_thread(noting_once, &i);
	ck_assert_uint_eq(all_taken(), RINGS_MOST);
	ck_assert_uint_eq(dropped, 5);
}
END_TEST

START_TEST(notes_that_were_forgotten_do_not_come)
{
	record_rings_open();
	for (uint64_t i = 0; i < RING_NOTES + MORE; i++)
		note(i);
	in_thread(noting, (void *)1);
	record_rings_clear();
	ck_assert_uint_eq(all_taken(), 0);
	ck_assert_uint_eq(dropped, 0);
	for (uint64_t i = 0; i < RING_LARGE; i++)
		note(i);
	ck_assert_uint_eq(all_taken(), RING_LARGE);
	numbers_check(RING_LARGE, 0);
	ck_assert_uint_eq(dropped, 0);
}
END_TEST

static void took_check(uint64_t slowest, size_t count)
{
	record_slow_set(slowest);
	record_did_begin();
	while (record_clock() - record_began < MORE)
		continue;
	record_took();
	ck_assert_uint_eq(all_taken(), count);
}

START_TEST(what_takes_long_is_noted_once)
{
	record_rings_open();
	took_check(0, 0); /* nothing is recorded */
	record_on = true;
	took_check(MORE, 1);
	ck_assert_int_eq(events[0].kind, MNM_RECORD_TOOK);
	ck_assert_uint_ge(events[0].size, MORE);
	ck_assert_uint_eq(events[0].thread, self());
	record_took(); /* nothing has begun */
	ck_assert_uint_eq(all_taken(), 0);
	took_check(UINT64_MAX, 0);
}
END_TEST

START_TEST(what_a_thread_did_is_taken_once)
{
	record_did_add(MNM_RECORD_DRIVER);
	ck_assert_uint_eq(record_did_take(), 0); /* nothing is recorded */
	record_on = true;
	record_did_add(MNM_RECORD_DRIVER);
	record_did_add(MNM_RECORD_FENCE);
	ck_assert_uint_eq(record_did_take(),
			  MNM_RECORD_DRIVER | MNM_RECORD_FENCE);
	ck_assert_uint_eq(record_did_take(), 0);
}
END_TEST

START_TEST(no_time_goes_back_when_the_scale_is_measured_anew)
{
	struct record_scale scale;
	uint64_t last = 0;

	record_clock_open();
	record_scale_begin(&scale);
	for (int i = 0; i < 2000; i++) {
		uint64_t ticks =
			i % 10 ? record_clock() : record_scale_turn(&scale);
		uint64_t ns = record_scale_ns(&scale, ticks);

		ck_assert_uint_ge(ns, last);
		last = ns;
	}
	ck_assert_uint_eq(record_scale_ns(&scale, 0), 0);
}
END_TEST

/* Up to its first measure the scale does not know how long a tick is. */
START_TEST(ticks_become_nanoseconds_as_the_other_clock_counts_them)
{
	struct record_scale scale;
	uint64_t ticks, ns;

	record_clock_open();
	record_scale_begin(&scale);
	while (record_clock_ns() - scale.ns < SPIN_NS)
		;
	ticks = record_scale_turn(&scale);
	ns = record_clock_ns() - scale.ns;
	ck_assert_uint_le(record_scale_ns(&scale, ticks), ns + ns / 8);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_note_comes_back_with_all_that_it_says,
		a_size_that_no_device_has_changes_nothing_else,
		notes_come_in_their_order_and_once,
		only_so_many_are_taken_as_there_is_room_for,
		what_is_younger_waits,
		notes_of_threads_are_merged_by_their_times,
		each_note_of_another_thread_comes_at_its_time,
		while_notes_are_taken_none_is_lost_unseen_or_comes_twice,
		a_full_ring_drops_and_counts_and_goes_on,
		a_ring_has_as_much_room_as_was_taken_from_it,
		there_are_only_so_many_large_rings,
		a_thread_that_has_ended_leaves_its_notes,
		its_ring_is_used_again_once_it_was_read,
		threads_that_come_and_go_share_one_ring,
		threads_that_end_unread_leave_only_so_many_rings,
		notes_that_were_forgotten_do_not_come,
		what_takes_long_is_noted_once,
		what_a_thread_did_is_taken_once,
		no_time_goes_back_when_the_scale_is_measured_anew,
		ticks_become_nanoseconds_as_the_other_clock_counts_them,
		NULL,
	};

	return tests_run("record_ring", tests);
}
