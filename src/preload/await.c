#include <pthread.h>
#include <time.h>

#include "thread.h"

/* If the process has no libpthread, nobody sets `before`, so it is
 * initialised. */

bool thread_await(pthread_cond_t *cond, pthread_mutex_t *lock,
		  const struct timespec *until)
{
	int before = PTHREAD_CANCEL_ENABLE, late = 0;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	if (until)
		late = pthread_cond_timedwait(cond, lock, until);
	else
		pthread_cond_wait(cond, lock);
	pthread_setcancelstate(before, NULL);
	return late;
}

void thread_nap(long nanoseconds)
{
	const struct timespec nap = {.tv_nsec = nanoseconds};
	int before = PTHREAD_CANCEL_ENABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	nanosleep(&nap, NULL);
	pthread_setcancelstate(before, NULL);
}
