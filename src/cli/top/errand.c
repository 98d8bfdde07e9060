#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "errand.h"

static int ends[2]; /* of a pipe for the addresses of errands that are done */

int errands_open(void)
{
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		return -1;
	return ends[0];
}

static void *run(void *arg)
{
	struct errand *errand = arg;

	errand->run(errand);
	/* So few bytes are written as a whole. */
	return write(ends[1], &errand, sizeof(errand)) < 0 ? NULL : errand;
}

bool errand_start(struct errand *errand)
{
	sigset_t all, before;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&thread, NULL, run, errand);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

struct errand *errand_done(void)
{
	struct errand *errand;

	return read(ends[0], &errand, sizeof(errand)) == sizeof(errand) ? errand
									: NULL;
}
