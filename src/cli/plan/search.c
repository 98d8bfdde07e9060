#include "search.h"

#include <stdint.h>
#include <stdio.h>

#include "cli/progress.h"

/* Progress is shown once a search lasts so long, and then so often. */
enum { SHOW_AFTER_MS = 500, SHOW_EACH_MS = 200 };

struct progress {
	bool shown;
	int64_t begin_ms, next_ms;
	uint64_t peak, bound; /* peak is 0 while there is no plan */
};

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
		now = progress_ms();
		if (now >= progress->next_ms)
			progress_show(progress, now);
	}
	return stop_came();
}

static void search_better(void *argument, uint64_t peak, uint64_t bound)
{
	struct progress *progress = argument;

	progress->peak = peak;
	progress->bound = bound;
}

enum plan_status search(const struct plan_problem *problem,
			const struct plan_options *options, struct plan *plan)
{
	struct progress progress = {.begin_ms = progress_ms()};
	struct plan_options followed = *options;
	enum plan_status status;

	if (progress_obeys())
		progress.next_ms = progress.begin_ms + SHOW_AFTER_MS;
	followed.stop = search_stop;
	followed.better = search_better;
	followed.argument = &progress;
	stop_watch();
	status = plan_solve(problem, &followed, plan);
	if (progress.shown)
		progress_clear();
	return status;
}
