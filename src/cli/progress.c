#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

bool stop_came(void)
{
	return stopped;
}

static void watch(int flags)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = stop, .sa_flags = flags};
	struct sigaction before;

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		/* Whoever started mnm may want a signal to do nothing, as nohup
		 * does. */
		if (!sigaction(stops[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(stops[i], &action, NULL);
}

void stop_watch(void)
{
	watch((int)SA_RESETHAND | SA_RESTART);
}

void stop_watch_all(void)
{
	watch(SA_RESTART);
}

bool progress_obeys(void)
{
	const char *terminal = getenv("TERM");

	return terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(STDERR_FILENO);
}

void progress_clear(void)
{
	fprintf(stderr, "\r\033[K");
}

int64_t progress_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
