#include "search.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Progress is shown once a search lasts so long, and then so often. */
enum { SHOW_AFTER_MS = 500, SHOW_EACH_MS = 200 };

static volatile sig_atomic_t stopped;

struct progress {
	bool shown;
	int64_t begin_ms, next_ms;
	uint64_t peak, bound; /* peak is 0 while there is no plan */
};

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

bool search_stopped(void)
{
	return stopped;
}

static void stop_on_signals(void)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = stop,
				   .sa_flags = (int)SA_RESETHAND | SA_RESTART};
	struct sigaction before;

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		/* Whoever started mnm may want a signal to do nothing, as nohup
		 * does. */
		if (!sigaction(stops[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(stops[i], &action, NULL);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void progress_show(struct progress *progress, int64_t now)
{
	double seconds = (double)(now - progress->begin_ms) / 1000;

	fprintf(stderr, "\r\033[K%.1f s", seconds);
	if (progress->peak)
		fprintf(stderr, ": %.5f times the lower bound",
			(double)progress->peak / (double)progress->bound);
	fprintf(stderr, "; Ctrl-C ends it");
	fflush(stderr);
	progress->shown = true;
	progress->next_ms = now + SHOW_EACH_MS;
}

/* Also looks whether it is time to show something. */
static bool search_stop(void *argument)
{
	struct progress *progress = argument;
	int64_t now;

	if (progress->next_ms) {
		now = now_ms();
		if (now >= progress->next_ms)
			progress_show(progress, now);
	}
	return stopped;
}

static void search_better(void *argument, uint64_t peak, uint64_t bound)
{
	struct progress *progress = argument;

	progress->peak = peak;
	progress->bound = bound;
}

static bool stderr_obeys(void)
{
	const char *terminal = getenv("TERM");

	return terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(STDERR_FILENO);
}

enum plan_status search(const struct plan_problem *problem,
			const struct plan_options *options, struct plan *plan)
{
	struct progress progress = {.begin_ms = now_ms()};
	struct plan_options followed = *options;
	enum plan_status status;

	if (stderr_obeys())
		progress.next_ms = progress.begin_ms + SHOW_AFTER_MS;
	followed.stop = search_stop;
	followed.better = search_better;
	followed.argument = &progress;
	stop_on_signals();
	status = plan_solve(problem, &followed, plan);
	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	return status;
}
