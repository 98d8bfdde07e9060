/* Forks children while a thread says of memory which streams use it, so that it
 * often is in the midst of that. Each child says the same of its own. Prints
 * how many children have ended; the first that hangs is the last. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mnm/mnm.h>

enum { CHILDREN = 40, ADDRESSES = 64, SPACING = 512, LIMIT_SECONDS = 60 };

static atomic_ulong said;

static void say(void)
{
	unsigned long address =
		(atomic_fetch_add(&said, 1) % ADDRESSES + 1) * SPACING;

	mnm_torch_record_stream((void *)address, NULL);
}

static void *say_on(void *unused)
{
	for (;;)
		say();
	return unused;
}

/* Whether a child ends by itself. */
static bool child_ends(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		alarm(LIMIT_SECONDS);
		say();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

int main(void)
{
	pthread_t thread;
	int count = 0;

	if (cuInit(0) || pthread_create(&thread, NULL, say_on, NULL))
		return 1;
	while (said < ADDRESSES)
		usleep(100);
	while (count < CHILDREN && child_ends())
		count++;
	printf("%d\n", count);
	fflush(stdout);
	_exit(0);
}
