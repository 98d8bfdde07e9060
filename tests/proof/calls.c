/* The pthread calls in which libmnm.so and libcuda.so.1 wait. Mutexes stay
 * libc's own, but it is noted what each thread waits for, and so which threads
 * can run. */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "turn.h"

#define EXPORT __attribute__((visibility("default")))

enum { ONCE_MAX = 16 }; /* calls of pthread_once under way at one time */

static const void *onces[ONCE_MAX];

EXPORT int sched_yield(void)
{
	struct turn *turn = turn_actor();

	if (!turn)
		return (int)syscall(SYS_sched_yield);
	turn_yield(turn);
	return 0;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	struct turn *turn = turn_actor();

	if (turn) {
		turn_point(turn);
		turn_access(turn, mutex);
	}
	return real.trylock(mutex);
}

static int turn_lock(struct turn *turn, pthread_mutex_t *mutex)
{
	int res;

	for (;;) {
		turn_access(turn, mutex); /* also by who has waited for it */
		res = real.trylock(mutex);
		if (res != EBUSY)
			return res;
		turns_lock();
		/* Try again: an outsider may just have unlocked it. */
		res = real.trylock(mutex);
		if (res != EBUSY) {
			turns_unlock();
			return res;
		}
		turn->state = LOCKING;
		turn->what = mutex;
		turn_give(turn);
	}
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	struct turn *turn = turn_actor();

	if (!turn)
		return real.lock(mutex);
	turn_point(turn);
	return turn_lock(turn, mutex);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct turn *turn = turn_actor();
	int res = real.unlock(mutex);

	if (turn)
		turn_access(turn, mutex);
	turns_lock();
	turns_wake(LOCKING, mutex, true);
	turns_unlock();
	if (turn)
		turn_point(turn);
	return res;
}

static int turn_sleep(struct turn *turn, pthread_cond_t *cond,
		      pthread_mutex_t *mutex, bool timed)
{
	turn_access(turn, cond);
	turn_access(turn, mutex);
	turns_lock();
	turn->state = WAITING;
	turn->what = cond;
	turn->timed = timed;
	turn->timed_out = false;
	real.unlock(mutex);
	turns_wake(LOCKING, mutex, true);
	turn_give(turn);
	turn_lock(turn, mutex);
	return turn->timed_out ? ETIMEDOUT : 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	struct turn *turn = turn_actor();

	return turn ? turn_sleep(turn, cond, mutex, false)
		    : real.wait(cond, mutex);
}

/* The time is taken to have come when no other thread can run. */
EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until)
{
	struct turn *turn = turn_actor();

	return turn ? turn_sleep(turn, cond, mutex, true)
		    : real.timedwait(cond, mutex, until);
}

/* Also wakes outsiders. So one thread more than asked for may wake, which
 * pthread_cond_signal allows. */
static int cond_wake(pthread_cond_t *cond, bool all)
{
	struct turn *turn = turn_actor();
	int res = all ? real.broadcast(cond) : real.signal(cond);

	if (turn)
		turn_access(turn, cond);
	turns_lock();
	turns_wake(WAITING, cond, all);
	turns_unlock();
	if (turn)
		turn_point(turn);
	return res;
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	return cond_wake(cond, false);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return cond_wake(cond, true);
}

/* Under guard. Returns the place of `control`, if it runs now, or else a free
 * place. */
static int once_find(const void *control)
{
	int empty = -1;

	for (int i = 0; i < ONCE_MAX; i++) {
		if (onces[i] == control)
			return i;
		if (!onces[i])
			empty = i;
	}
	return empty;
}

/* While `init` runs, another thread may get its turn. */
EXPORT int pthread_once(pthread_once_t *control, void (*init)(void))
{
	struct turn *turn = turn_actor();
	int place, res;

	if (!turn)
		return real.once(control, init);
	turn_access(turn, control);
	turns_lock();
	place = once_find(control);
	while (onces[place]) {
		turn->state = LOCKING;
		turn->what = control;
		turn_give(turn);
		turns_lock();
		place = once_find(control);
	}
	onces[place] = control;
	turns_unlock();
	res = real.once(control, init);
	turn_access(turn, control);
	turns_lock();
	onces[place] = NULL;
	turns_wake(LOCKING, control, true);
	turns_unlock();
	return res;
}
