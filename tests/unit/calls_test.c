/* The program's calls, and a pause for which they wait. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "order/calls.h"
#include "order/capture_work.h"
#include "preload/barrier.h"
#include "preload/serving.h"
#include "run.h"
#include "order/stream_order.h"

enum { CALLERS = 4, SHORT_PAUSES = 20000, SHORT_SPINS = 30000 };
enum { STOPPED_SECONDS = 2 }; /* longer than a call waits for a pause */

void serving_guard_fork(void)
{
}

static _Atomic int started;

void stream_work_starts(void)
{
	started++;
}

static _Atomic uintptr_t told; /* what the last call was for */

void capture_work_come(uintptr_t key)
{
	told = key;
}

static void *call(void *unused)
{
	(void)unused;
	calls_enter();
	calls_leave();
	return NULL;
}

/* Begins a pause, and a thread whose call waits for its end. */
static pthread_t wait_begin(void)
{
	pthread_t thread;
	uint64_t calls;

	ck_assert(barrier_open() && calls_look(&calls));
	ck_assert(calls_pause(calls));
	ck_assert(!pthread_create(&thread, NULL, call, NULL));
	while (!calls_are_awaited())
		sched_yield();
	return thread;
}

static bool is_at_rest(void)
{
	uint64_t calls;

	return calls_look(&calls);
}

/* A tool that patches the driver's calls can make such calls in the pause. */
START_TEST(the_pauses_own_calls_do_not_wait_for_it)
{
	uint64_t calls;

	ck_assert(barrier_open() && calls_look(&calls));
	ck_assert(calls_pause(calls));
	ck_assert(!calls_have_come());
	call(NULL);
	ck_assert(is_at_rest());
	ck_assert(calls_have_come()); /* there may be work by now */
	calls_resume();
	ck_assert(barrier_open() && calls_look(&calls));
	ck_assert(calls_pause(calls));
	ck_assert(!calls_have_come());
	calls_resume();
}
END_TEST

static void *pauses(void *begun)
{
	uint64_t calls;

	*(bool *)begun = calls_look(&calls) && calls_pause(calls);
	return NULL;
}

START_TEST(one_thread_pauses_at_a_time)
{
	pthread_t thread;
	uint64_t calls;
	bool begun = true;

	ck_assert(barrier_open() && calls_look(&calls));
	ck_assert(calls_pause(calls));
	ck_assert(!pthread_create(&thread, NULL, pauses, &begun));
	pthread_join(thread, NULL);
	ck_assert(!begun);
	ck_assert(calls_held && calls_are_paused());
	calls_resume();
	ck_assert(!calls_are_paused());
	ck_assert(calls_look(&calls) && calls_pause(calls));
	calls_resume();
}
END_TEST

/* A call that lacks memory asks for a rest before it queues any work. */
START_TEST(a_call_of_the_askers_own_is_no_work)
{
	uint64_t calls;

	ck_assert(barrier_open());
	calls_enter();
	ck_assert(is_at_rest());
	ck_assert(!calls_are_over());
	ck_assert(calls_look(&calls) && calls_pause(calls));
	calls_resume();
	calls_leave();
	ck_assert(calls_are_over());
}
END_TEST

static _Atomic bool enough;

static void *calls_on(void *unused)
{
	while (!enough) {
		call(unused);
		for (volatile int i = 0; i < 5000; i++)
			;
	}
	return NULL;
}

/* A pause may begin just as a call has seen the end of the last one. */
START_TEST(short_pauses_are_not_taken_for_a_long_one)
{
	pthread_t threads[CALLERS];
	uint64_t calls;

	ck_assert(barrier_open());
	for (int i = 0; i < CALLERS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, calls_on, NULL));
	for (int i = 0; i < SHORT_PAUSES && calls_are_all_seen();) {
		if (!calls_look(&calls) || !calls_pause(calls))
			continue;
		i++;
		for (int j = 0; j < 1000 && !calls_are_awaited(); j++)
			sched_yield();
		calls_resume();
		for (volatile int j = i * 7919 % SHORT_SPINS; j; j--)
			;
	}
	enough = true;
	for (int i = 0; i < CALLERS; i++)
		pthread_join(threads[i], NULL);
	ck_assert(calls_are_all_seen());
}
END_TEST

START_TEST(nor_what_is_not_counted)
{
	uint64_t calls;

	ck_assert(barrier_open() && calls_look(&calls));
	ck_assert(calls_pause(calls));
	calls_unseen();
	ck_assert(calls_have_come());
	calls_resume();
	ck_assert(!is_at_rest());
}
END_TEST

START_TEST(the_first_call_of_all_is_told)
{
	pthread_t thread;

	call(NULL);
	call(NULL);
	ck_assert(!pthread_create(&thread, NULL, call, NULL));
	ck_assert(!pthread_join(thread, NULL));
	ck_assert_int_eq(started, 1);
}
END_TEST

START_TEST(not_after_calls_that_are_not_counted)
{
	calls_unseen();
	call(NULL);
	ck_assert_int_eq(started, 0);
}
END_TEST

START_TEST(a_thread_is_not_cancelled_as_it_waits)
{
	pthread_t thread = wait_begin();
	void *result;

	ck_assert(!pthread_cancel(thread));
	calls_resume();
	ck_assert(!pthread_join(thread, &result));
	ck_assert_ptr_null(result);
	ck_assert(is_at_rest());
	thread = wait_begin();
	calls_resume();
	pthread_join(thread, NULL);
}
END_TEST

static void *cancelled_call(void *reached)
{
	pthread_cancel(pthread_self());
	log_line(LOG_ERROR, "a line");
	*(bool *)reached = true;
	pthread_testcancel();
	return NULL;
}

START_TEST(a_thread_is_not_cancelled_as_it_logs)
{
	int fds[2], saved = dup(STDERR_FILENO);
	bool reached = false;
	pthread_t thread;
	void *result;
	char text[64];

	ck_assert(!pipe(fds));
	dup2(fds[1], STDERR_FILENO);
	ck_assert(!pthread_create(&thread, NULL, cancelled_call, &reached));
	pthread_join(thread, &result);
	dup2(saved, STDERR_FILENO);
	ck_assert(reached);
	ck_assert_ptr_eq(result, PTHREAD_CANCELED);
	ck_assert_int_eq(read(fds[0], text, sizeof(text)),
			 strlen("mnm: error: a line\n"));
}
END_TEST

/* Runs in a process of its own. Stops while a call waits, and goes on. It waits
 * a moment before the pause ends, so that the call finds out how late it is. */
static int stop_and_go(void)
{
	const struct timespec moment = {.tv_nsec = 100000000};
	pthread_t thread = wait_begin();

	raise(SIGSTOP);
	nanosleep(&moment, NULL);
	calls_resume();
	pthread_join(thread, NULL);
	return is_at_rest() ? EXIT_SUCCESS : EXIT_FAILURE;
}

START_TEST(the_time_of_a_stopped_process_does_not_count)
{
	const struct timespec stopped = {.tv_sec = STOPPED_SECONDS};
	pid_t child = fork();
	int status;

	if (!child)
		_exit(stop_and_go());
	ck_assert(waitpid(child, &status, WUNTRACED) == child);
	ck_assert(WIFSTOPPED(status));
	nanosleep(&stopped, NULL);
	kill(child, SIGCONT);
	ck_assert(waitpid(child, &status, 0) == child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}
END_TEST

START_TEST(a_pause_that_does_not_end_is_the_last_one)
{
	pthread_t thread = wait_begin();

	pthread_join(thread, NULL);
	ck_assert(!calls_held); /* the next calls do not wait */
	ck_assert(!is_at_rest());
	calls_resume();
}
END_TEST

START_TEST(calls_tell_what_they_are_for_while_they_are_watched)
{
	ck_assert(barrier_open());
	calls_enter_for(5);
	calls_leave();
	ck_assert_uint_eq(told, 0);
	ck_assert(calls_watch());
	calls_enter_for(5);
	ck_assert_uint_eq(told, 5);
	calls_leave();
	calls_enter_for(CALLS_NO_WORK);
	calls_leave();
	ck_assert_uint_eq(told, 5);
	calls_watch_end();
	calls_enter_for(6);
	calls_leave();
	ck_assert_uint_eq(told, 5);
	ck_assert(is_at_rest());
}
END_TEST

/* It may bring the stream that waits into a capture. */
START_TEST(a_call_for_a_wait_tells_at_its_end)
{
	ck_assert(barrier_open() && calls_watch());
	calls_enter_wait();
	ck_assert_uint_eq(told, 0);
	calls_leave_wait(7);
	ck_assert_uint_eq(told, 7);
	ck_assert(calls_are_over());
	calls_watch_end();
	calls_enter_wait();
	calls_leave_wait(8);
	ck_assert_uint_eq(told, 7);
}
END_TEST

static void *call_for_nine(void *unused)
{
	(void)unused;
	calls_enter_for(9);
	calls_leave();
	return NULL;
}

/* Or it would end a rest that it waits for. */
START_TEST(a_call_that_waits_tells_after_that)
{
	pthread_t thread;
	uint64_t calls;

	ck_assert(barrier_open() && calls_watch());
	ck_assert(calls_look(&calls) && calls_pause(calls));
	ck_assert(!pthread_create(&thread, NULL, call_for_nine, NULL));
	while (!calls_are_awaited())
		sched_yield();
	ck_assert_uint_eq(told, 0);
	calls_resume();
	pthread_join(thread, NULL);
	ck_assert_uint_eq(told, 9);
	calls_watch_end();
}
END_TEST

int main(void)
{
	return tests_run(
		"calls",
		(const TTest *const[]){
			the_pauses_own_calls_do_not_wait_for_it,
			one_thread_pauses_at_a_time,
			a_call_of_the_askers_own_is_no_work,
			nor_what_is_not_counted,
			short_pauses_are_not_taken_for_a_long_one,
			the_first_call_of_all_is_told,
			not_after_calls_that_are_not_counted,
			a_thread_is_not_cancelled_as_it_waits,
			a_thread_is_not_cancelled_as_it_logs,
			the_time_of_a_stopped_process_does_not_count,
			calls_tell_what_they_are_for_while_they_are_watched,
			a_call_for_a_wait_tells_at_its_end,
			a_call_that_waits_tells_after_that,
			a_pause_that_does_not_end_is_the_last_one, NULL});
}
