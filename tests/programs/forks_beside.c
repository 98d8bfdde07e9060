/* Forks, while threads that ask for memory come and go. In each child the only
 * thread ends. Prints how many children have ended by themselves; one that
 * hangs is killed. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

enum { FORKS = 200, THREADS = 8, WAITS = 3000, WAIT_US = 10000 };

static CUcontext context;
static atomic_bool over;

static void pair(void)
{
	CUdeviceptr block;

	cuCtxSetCurrent(context);
	if (!cuMemAlloc(&block, 4096))
		cuMemFree(block);
}

static void *short_run(void *unused)
{
	(void)unused;
	pair();
	return NULL;
}

static void *threads_come_and_go(void *unused)
{
	pthread_t threads[THREADS];

	(void)unused;
	while (!over) {
		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, short_run, NULL))
				exit(1);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	return NULL;
}

/* Whether it has ended by itself. */
static bool child_ended(pid_t child)
{
	int status;

	for (int i = 0; i < WAITS; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return true;
		usleep(WAIT_US);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return false;
}

static void *forks(void *ended)
{
	int *count = ended;

	pair();
	for (int i = 0; i < FORKS && i == *count; i++) {
		pid_t child = fork();

		if (!child)
			pthread_exit(NULL);
		*count += child > 0 && child_ended(child);
	}
	return NULL;
}

int main(void)
{
	pthread_t others, forker;
	int ended = 0;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0))
		return 1;
	pair();
	if (pthread_create(&others, NULL, threads_come_and_go, NULL) ||
	    pthread_create(&forker, NULL, forks, &ended))
		return 1;
	pthread_join(forker, NULL);
	over = true;
	pthread_join(others, NULL);
	printf("%d of %d\n", ended, FORKS);
	return 0;
}
