#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* By futex, which any lock needs: a filter of the program's may kill for a call
 * that the program itself never makes. */
void thread_nap(long nanoseconds)
{
	const struct timespec nap = {.tv_nsec = nanoseconds};
	uint32_t word = 0; /* nobody wakes it */
	int before = PTHREAD_CANCEL_ENABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &nap, NULL, 0);
	pthread_setcancelstate(before, NULL);
}
