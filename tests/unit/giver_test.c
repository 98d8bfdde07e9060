/* What makes the thread stop that gives memory back, and what waits for it. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context/context_use.h"
#include "order/marks.h"
#include "preload/barrier.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "context/context.h"
#include "heap/reclaim.h"
#include "heap/giver.h"
#include "heap/owed.h"
#include "preload/serving.h"
#include "run.h"
#include "order/stream_order.h"
#include "heap/swap.h"
#include "preload/thread.h"

enum { BLOCKS = 50, FREE_NS = 20000000, STEP_NS = 1000000, STEPS = 200 };
/* What may happen during a free. */
enum { NOTHING, CALL, CONTEXT, CAPTURE, STOP };

static struct device devices[DEVICE_ALL];
static _Atomic int freed; /* blocks that the giver has freed */
static _Atomic bool freeing, stops, context_comes;
static _Atomic int comes;
static _Atomic bool captures_on;
static _Atomic int blocked; /* captures, now */
static _Atomic pthread_t caller;
static pthread_t leaver; /* begins while the giver is being started */
static _Atomic bool leaves, left, joined;

static void *call(void *unused)
{
	(void)unused;
	calls_enter();
	calls_leave();
	return NULL;
}

static pthread_t call_begin(void)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, call, NULL));
	return thread;
}

size_t reclaim_one(struct device *device)
{
	(void)device;
	ck_assert_int_eq(blocked, 1); /* the start of a capture waits */
	freed++;
	if (comes == CALL) {
		caller = call_begin();
		while (!calls_are_awaited())
			sched_yield();
	} else if (comes == CONTEXT) {
		context_comes = true;
	} else if (comes == CAPTURE) {
		captures_on = true;
	} else if (comes == STOP) {
		freeing = true;
		while (!stops)
			sched_yield();
		thread_nap(FREE_NS);
		freeing = false;
	}
	return freed < BLOCKS;
}

bool capture_work_is_known(void)
{
	return false;
}

bool capture_work_is_over(void)
{
	ck_abort_msg("only a request that lacks memory asks");
	return false;
}

bool waits_are_forbidden(void)
{
	return false;
}

bool contexts_awaited(void)
{
	return context_comes;
}

size_t device_trim(struct device *device)
{
	(void)device;
	return 0;
}

struct device *device_at(int ordinal)
{
	return &devices[ordinal];
}

int device_ordinal(const struct device *device)
{
	return device - devices;
}

bool device_is_host(const struct device *device)
{
	return device == &devices[DEVICE_HOST];
}

int marks_set(struct marks *marks, const struct device *device)
{
	(void)marks, (void)device;
	return captures_on;
}

int marks_ask(struct marks *marks)
{
	(void)marks;
	return 0;
}

void marks_drop(struct marks *marks)
{
	(void)marks;
}

bool capture_any(void)
{
	return captures_on;
}

bool capture_block(void)
{
	blocked += !captures_on;
	return !captures_on;
}

void capture_unblock(void)
{
	blocked--;
}

void capture_work_come(uintptr_t key)
{
	(void)key;
}

void stream_work_starts(void)
{
}

void serving_guard_fork(void)
{
}

static void *leave(void *unused)
{
	(void)unused;
	giver_leave();
	left = true;
	return NULL;
}

/* The leaver gets some time to come to its end, or to wait for this. */
int thread_start(void *(*run)(void *), void *arg, size_t stack_size,
		 pthread_t *thread)
{
	int res = pthread_create(thread, NULL, run, arg);

	(void)stack_size;
	if (leaves)
		ck_assert(!pthread_create(&leaver, NULL, leave, NULL));
	for (int i = 0; i < STEPS && leaves && !left; i++)
		thread_nap(STEP_NS);
	return res;
}

void thread_join(pthread_t thread, int seconds)
{
	(void)seconds;
	pthread_join(thread, NULL);
	joined = true;
}

static void *ask(void *unused)
{
	(void)unused;
	giver_ask();
	return NULL;
}

static void begin(int coming)
{
	comes = coming;
	devices[0].used = true;
	ck_assert(barrier_open());
	call(NULL);
	giver_allow();
	giver_start();
}

static void stop(void)
{
	stops = true;
}

/* Asks on another thread. Returns once the giver frees a block, which it does
 * until FREE_NS after stop(). */
static void ask_until_freeing(void)
{
	pthread_t asker;

	ck_assert(!pthread_create(&asker, NULL, ask, NULL));
	while (!freeing)
		sched_yield();
	pthread_detach(asker);
}

START_TEST(all_goes_back_at_rest)
{
	begin(NOTHING);
	giver_ask();
	ck_assert_int_eq(freed, BLOCKS);
	giver_leave();
}
END_TEST

START_TEST(a_call_waits_for_one_free)
{
	begin(CALL);
	giver_ask();
	ck_assert_int_eq(freed, 1);
	pthread_join(caller, NULL);
	comes = NOTHING;
	giver_ask();
	ck_assert_int_eq(freed, BLOCKS);
	giver_leave();
}
END_TEST

START_TEST(a_change_of_contexts_waits_for_one_free)
{
	begin(CONTEXT);
	giver_ask();
	ck_assert_int_eq(freed, 1);
	comes = NOTHING;
	context_comes = false;
	giver_ask();
	ck_assert_int_eq(freed, BLOCKS);
	giver_leave();
}
END_TEST

START_TEST(a_capture_waits_for_one_free)
{
	begin(CAPTURE);
	giver_ask();
	ck_assert_int_eq(freed, 1);
	ck_assert_int_eq(blocked, 0);
	giver_ask();
	ck_assert_int_eq(freed, 1);
	comes = NOTHING;
	captures_on = false;
	giver_ask();
	ck_assert_int_eq(freed, BLOCKS);
	giver_leave();
}
END_TEST

static int is_stopped(void)
{
	return !freeing && freed < BLOCKS ? EXIT_SUCCESS : EXIT_FAILURE;
}

START_TEST(a_fork_is_not_made_within_a_free)
{
	pid_t child;
	int status;

	begin(STOP);
	pthread_atfork(stop, NULL, NULL); /* runs before mnm's handlers */
	ask_until_freeing();
	child = fork();
	if (!child)
		_exit(is_stopped());
	ck_assert(waitpid(child, &status, 0) == child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
	giver_leave();
}
END_TEST

static void end(void)
{
	_exit(is_stopped());
}

START_TEST(an_exit_is_not_made_within_a_free)
{
	ck_assert(!atexit(end)); /* runs after mnm's handlers */
	begin(STOP);
	atexit(stop); /* runs before mnm's handlers */
	ask_until_freeing();
	exit(EXIT_FAILURE);
}
END_TEST

START_TEST(its_end_waits_for_one_free)
{
	begin(STOP);
	ask_until_freeing();
	stop();
	giver_leave();
	ck_assert_int_eq(is_stopped(), EXIT_SUCCESS);
}
END_TEST

START_TEST(it_ends_even_while_it_is_being_started)
{
	leaves = true;
	begin(NOTHING);
	pthread_join(leaver, NULL);
	ck_assert(joined);
}
END_TEST

int main(void)
{
	return tests_run("giver",
			 (const TTest *const[]){
				 all_goes_back_at_rest,
				 a_call_waits_for_one_free,
				 a_change_of_contexts_waits_for_one_free,
				 a_capture_waits_for_one_free,
				 a_fork_is_not_made_within_a_free,
				 an_exit_is_not_made_within_a_free,
				 its_end_waits_for_one_free,
				 it_ends_even_while_it_is_being_started, NULL});
}
