#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "capture_work.h"
#include "preload/barrier.h"
#include "common/log.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"

/* How often, and for how many nanoseconds each time, a call waits at most: a
 * second in all. Waits are counted, as the program has no chance to go on while
 * its process is stopped. */
enum { WAITS_MAX = 10, WAIT_NS = 100000000 };

__thread struct calls *calls_own;
_Atomic unsigned int calls_held;

/* The record of a thread that is not listed. */
static __thread struct calls unlisted;

static pthread_mutex_t lock = LOCK_SPINS;
static struct calls *list;  /* under lock */
static _Atomic bool unseen; /* some calls are not counted */

static struct once first_once = ONCE_INIT, watch_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that are listed */

static pthread_mutex_t pause_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned int waiting; /* calls; changed under pause_lock */

/* This thread has begun the pause. A tool may have put a jump into CUDA's
 * entry, and so make calls within this thread's driver calls. Such a call does
 * not wait for the pause: it would wait for itself. */
static __thread bool pausing;
static _Atomic bool pause_taken; /* by a thread that begins one, or has one */
static _Atomic unsigned int pauses; /* so far; tells one from the next */
static _Atomic bool crossed; /* such a call came: there may be work again */

/* The thread may make calls even now, and then attaches anew. */
static void thread_ended(void *own)
{
	calls_own = NULL;
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	pthread_mutex_lock(&lock);
	((struct calls *)own)->spare = true;
	pthread_mutex_unlock(&lock);
}

static void watch_open(void)
{
	thread_key_open(&watch, thread_ended);
}

/* Under lock. If a thread ended within a call, that call counts as under way
 * for ever. */
static struct calls *calls_take_spare(void)
{
	struct calls *calls = list;

	while (calls && !calls->spare)
		calls = calls->next;
	if (!calls) {
		calls = calloc(1, sizeof(*calls));
		if (!calls)
			return NULL;
		calls->next = list;
		list = calls;
	}
	calls->spare = false;
	return calls;
}

struct calls *calls_attach(void)
{
	struct calls *own = NULL;

	calls_own = &unlisted;
	if (!serving_is_on())
		return calls_own;
	serving_guard_fork();
	if (!unseen)
		once_run(&first_once, stream_work_starts);
	once_run(&watch_once, watch_open);
	pthread_mutex_lock(&lock);
	if (watch.open)
		own = calls_take_spare();
	pthread_mutex_unlock(&lock);
	if (own) {
		calls_own = own;
		thread_key_set(&watch, own);
	} else {
		calls_unseen();
	}
	return calls_own;
}

/* Under pause_lock, which is left meanwhile. Returns false if no time is
 * left. */
static bool pause_wait(int *waits)
{
	struct timespec until;

	if (*waits == WAITS_MAX)
		return false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	*waits += thread_await(&resumed, &pause_lock, &until);
	return true;
}

static bool is_paused(void)
{
	return atomic_load(&calls_held) & CALLS_PAUSED;
}

/* Returns false if the pause has lasted too long. The next one may begin at any
 * moment, without the lock, and is another one. */
static bool pause_await(void)
{
	unsigned int pause = pauses;
	int waits = 0;
	bool over;

	pthread_mutex_lock(&pause_lock);
	waiting++;
	do {
		over = !is_paused() || pauses != pause;
	} while (!over && pause_wait(&waits));
	waiting--;
	pthread_mutex_unlock(&pause_lock);
	return over;
}

static void pause_end(void)
{
	pthread_mutex_lock(&pause_lock);
	atomic_fetch_and(&calls_held, ~(unsigned int)CALLS_PAUSED);
	pthread_cond_broadcast(&resumed);
	pthread_mutex_unlock(&pause_lock);
}

/* A free in the driver waits for work that nobody has seen. */
static void pause_failed(void)
{
	if (!atomic_exchange(&unseen, true))
		log_warn("a free of idle memory waits for work that was not "
			 "seen; from now on it goes back in the program's own "
			 "frees only");
	pause_end(); /* or each call that the work waits for would wait, too */
}

/* The call does not count as begun while it waits. A call within another one
 * does not wait: because of the outer one, there is no pause. */
static void calls_wait(struct calls *own)
{
	bool over = true;

	while (over && is_paused() && own->count % CALLS_BEGUN == 1) {
		atomic_store(&own->count, own->count - 1);
		over = pause_await();
		atomic_store(&own->count, own->count + CALLS_BEGUN + 1);
	}
	if (!over)
		pause_failed();
}

static void calls_tell(uintptr_t key)
{
	if (atomic_load(&calls_held) & CALLS_WATCHED)
		capture_work_come(key);
}

void calls_hold(struct calls *own, uintptr_t key)
{
	if (pausing)
		atomic_store(&crossed, true);
	if (pausing || !serving_is_on())
		return;
	calls_wait(own);
	if (key != CALLS_NO_WORK)
		calls_tell(key);
}

void calls_leave_wait(uintptr_t key)
{
	if (serving_is_on())
		calls_tell(key);
	calls_leave();
}

bool calls_watch(void)
{
	atomic_fetch_or(&calls_held, CALLS_WATCHED);
	return barrier_all();
}

void calls_watch_end(void)
{
	atomic_fetch_and(&calls_held, ~(unsigned int)CALLS_WATCHED);
}

void calls_unseen(void)
{
	if (!serving_is_on())
		return;
	if (!atomic_load(&unseen))
		atomic_store(&unseen, true);
	if (is_paused() && !pausing)
		pause_await();
}

/* As calls_look; `besides` may be in a call. */
static bool calls_sum(uint64_t *sum, const struct calls *besides)
{
	bool under_way = false;
	uint64_t one;

	*sum = 0;
	if (!serving_is_on())
		return false;
	pthread_mutex_lock(&lock);
	for (const struct calls *at = list; at; at = at->next) {
		one = atomic_load(&at->count);
		under_way |= at != besides && one % CALLS_BEGUN != 0;
		*sum += one;
	}
	pthread_mutex_unlock(&lock);
	return !under_way && !unseen;
}

bool calls_are_all_seen(void)
{
	return !atomic_load(&unseen) && barrier_is_open();
}

bool calls_look(uint64_t *sum)
{
	return calls_sum(sum, calls_own);
}

bool calls_are_over(void)
{
	uint64_t sum;

	return calls_sum(&sum, NULL) && barrier_all() && calls_sum(&sum, NULL);
}

bool calls_pause_first(void)
{
	if (atomic_exchange(&pause_taken, true))
		return false;
	pausing = true;
	atomic_store(&crossed, false);
	atomic_fetch_add(&pauses, 1);
	atomic_fetch_or(&calls_held, CALLS_PAUSED);
	/* Calls see that there is a pause, or we see that they have begun. */
	if (barrier_all())
		return true;
	calls_resume();
	return false;
}

bool calls_pause(uint64_t sum)
{
	uint64_t now;

	if (!calls_pause_first())
		return false;
	if (calls_look(&now) && now == sum)
		return true;
	calls_resume();
	return false;
}

void calls_resume(void)
{
	pausing = false;
	pause_end();
	atomic_store(&pause_taken, false);
}

bool calls_are_paused(void)
{
	return atomic_load(&pause_taken);
}

bool calls_are_paused_here(void)
{
	return pausing;
}

bool calls_have_come(void)
{
	return crossed || unseen;
}

bool calls_are_awaited(void)
{
	return atomic_load(&waiting);
}
