#include "calls.h"

#include <pthread.h>
#include <stdlib.h>

#include "cache.h"
#include "mem.h"
#include "thread.h"

__thread struct calls *calls_own;

/* Of a thread that is not listed. */
static __thread struct calls unlisted;

static pthread_mutex_t lock = LOCK_SPINS;
static struct calls *list;  /* under lock */
static _Atomic bool hidden; /* a thread that is not listed makes calls */

static struct once watch_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that are listed */

/* It may make calls even now, and joins anew then. */
static void thread_ended(void *own)
{
	calls_own = NULL;
	if (!mem_enabled()) /* a forked child, where locks may stay held */
		return;
	pthread_mutex_lock(&lock);
	((struct calls *)own)->spare = true;
	pthread_mutex_unlock(&lock);
}

static void watch_make(void)
{
	thread_key_open(&watch, thread_ended);
}

/* Under lock. One whose thread ended within a call is under way for ever. */
static struct calls *take(void)
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

struct calls *calls_join(void)
{
	struct calls *own = NULL;

	calls_own = &unlisted;
	if (!mem_enabled())
		return calls_own;
	mem_guard_fork();
	once_run(&watch_once, watch_make);
	pthread_mutex_lock(&lock);
	if (watch.open)
		own = take();
	pthread_mutex_unlock(&lock);
	if (own) {
		calls_own = own;
		thread_key_set(&watch, own);
	} else {
		hidden = true;
	}
	return calls_own;
}

static bool none_is_seen(void)
{
	const struct calls *at;

	pthread_mutex_lock(&lock);
	at = list;
	while (at &&
	       !atomic_load_explicit(&at->under_way, memory_order_acquire))
		at = at->next;
	pthread_mutex_unlock(&lock);
	return !at;
}

/* At first without the barrier, which costs each thread something. */
bool calls_are_over(void)
{
	return !hidden && none_is_seen() && caches_barrier() &&
	       none_is_seen() && !hidden;
}
