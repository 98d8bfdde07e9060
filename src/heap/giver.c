#include "giver.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "order/calls.h"
#include "context/context.h"
#include "rest.h"
#include "preload/serving.h"
#include "swap.h"
#include "preload/thread.h"

enum {
	STACK_SIZE = 1 << 20, /* the driver's calls run on it */
	ASK_SECONDS = 3,      /* that giver_ask waits for an answer */
	HOLD_SECONDS = 1,     /* that a fork or exit waits for the giver */
	LEAVE_SECONDS = 2,    /* that giver_leave waits for its end */
};

static _Atomic bool allowed, started, leaving;
static pthread_t giver;

static _Atomic uint32_t asked;          /* how often it was asked; a futex */
static _Atomic uint32_t answered;       /* how many of them are done; a futex */
static _Atomic bool wanted[DEVICE_ALL]; /* see giver_want */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static bool giving;      /* the giver may be in the driver; under lock */
static _Atomic int held; /* it must not go there; changed under lock */

static void futex_wait(_Atomic uint32_t *word, uint32_t is,
		       const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, limit);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

/* Nothing is given back any more once a device has failed. */
static bool any_is_lost(void)
{
	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->lost)
			return true;
	return false;
}

static bool has_to_stop(void)
{
	return held || leaving || rest_is_awaited();
}

/* In a rest. */
static void device_gives(struct device *device)
{
	if (atomic_exchange(&wanted[device_ordinal(device)], false))
		device_trim(device);
	while (!has_to_stop() && rest_give_one(device))
		;
}

static void give_if_at_rest(void)
{
	if (any_is_lost() || !rest_begin(NULL, REST_SOON))
		return;
	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_at(i)->used)
			device_gives(device_at(i));
	rest_end();
}

static bool giving_begin(void)
{
	bool may;

	pthread_mutex_lock(&lock);
	may = giving = !held && !leaving;
	pthread_mutex_unlock(&lock);
	return may;
}

static void giving_end(void)
{
	pthread_mutex_lock(&lock);
	giving = false;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
}

/* Relaxed: what the giver is asked to do is under locks. */
static bool is_leaving(void)
{
	return atomic_load_explicit(&leaving, memory_order_relaxed);
}

/* Sleeps until the giver is asked; returns how often it has been asked. */
static uint32_t order_await(uint32_t before)
{
	uint32_t now;

	while ((now = atomic_load_explicit(&asked, memory_order_relaxed)) ==
		       before &&
	       !is_leaving())
		futex_wait(&asked, before, NULL);
	return now;
}

static void *giver_run(void *unused)
{
	uint32_t order = 0;

	(void)unused;
	prctl(PR_SET_NAME, "mnm-giver");
	while (!is_leaving()) {
		order = order_await(order);
		if (giving_begin()) {
			give_if_at_rest();
			giving_end();
		}
		atomic_store(&answered, order);
		futex_wake(&answered);
	}
	return NULL;
}

/* Keeps the giver out of the driver from now on; does not wait longer than
 * HOLD_SECONDS for that. */
static void giver_hold(void)
{
	struct timespec until;
	bool late = false;

	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += HOLD_SECONDS;
	pthread_mutex_lock(&lock);
	held++;
	while (giving && !late)
		late = thread_await(&done, &lock, &until);
	pthread_mutex_unlock(&lock);
}

static void giver_unhold(void)
{
	if (!serving_is_on())
		return;
	pthread_mutex_lock(&lock);
	held--;
	pthread_mutex_unlock(&lock);
}

static void giver_begin(void)
{
	int saved = errno; /* the program's: its call did not fail */

	pthread_atfork(giver_hold, giver_unhold, NULL);
	if (!thread_start(giver_run, NULL, STACK_SIZE, &giver)) {
		atexit(giver_hold);
		atomic_store(&started, true);
	}
	errno = saved;
}

void giver_allow(void)
{
	atomic_store(&allowed, true);
}

static struct once begun = ONCE_INIT;

void giver_start(void)
{
	if (atomic_load_explicit(&allowed, memory_order_relaxed))
		once_run(&begun, giver_begin);
}

static void giver_wake(void)
{
	atomic_fetch_add(&asked, 1);
	futex_wake(&asked);
}

void giver_ask(void)
{
	const struct timespec limit = {.tv_sec = ASK_SECONDS};
	uint32_t before = answered;

	if (!started || before != asked) /* still busy with the last one */
		return;
	giver_wake();
	futex_wait(&answered, before, &limit);
}

void giver_want(const struct device *device, bool all)
{
	atomic_store(&wanted[device_ordinal(device)], all);
}

void giver_look(void)
{
	static uint64_t calls_then;
	uint64_t calls;
	bool any = false;

	for (int i = 0; i < DEVICE_ALL; i++)
		any |= wanted[i];
	if (!any)
		return;
	/* A program that has just made calls most probably has work. Looking
	 * for its end takes an event in every context, which is not to be paid
	 * each time. */
	if (calls_look(&calls) && calls == calls_then)
		giver_ask();
	calls_then = calls;
}

static void giver_never(void)
{
}

/* A thread of the program's may be in giver_begin. */
void giver_leave(void)
{
	atomic_store(&allowed, false);
	atomic_store(&leaving, true);
	once_run(&begun, giver_never);
	if (!started)
		return;
	giver_wake();
	thread_join(giver, LEAVE_SECONDS);
}
