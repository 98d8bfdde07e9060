/* Forks while its threads begin ranges, before it calls CUDA. Each child begins
 * ranges as well. Exit status 1: one of them did not come to its end. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 60, RANGES = 20, DEADLINE = 20 /* seconds */ };

static void begin_range(void)
{
	nvtxRangePushA("iteration 1");
	nvtxRangePop();
}

static void *begin_ranges(void *unused)
{
	for (;;)
		begin_range();
	return unused;
}

static void be_child(void)
{
	alarm(DEADLINE);
	for (int i = 0; i < RANGES; i++)
		begin_range();
	_exit(0);
}

int main(void)
{
	pthread_t thread;
	int status = 0;

	begin_range();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, begin_ranges, NULL))
			return 2;
	for (int i = 0; i < FORKS && !status; i++) {
		pid_t child = fork();

		if (!child)
			be_child();
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 2;
	}
	if (status)
		fprintf(stderr, "a child has not come to its end\n");
	fflush(NULL);
	_exit(status != 0);
}
