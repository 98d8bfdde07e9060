#include "plan/watch.h"

#include <time.h>

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void watch_start(struct watch *watch, const struct plan_options *options)
{
	watch->options = options;
	watch->start = thread_seconds();
	watch->over = false;
}

double watch_seconds(const struct watch *watch)
{
	return thread_seconds() - watch->start;
}

bool watch_is_over(struct watch *watch)
{
	const struct plan_options *options = watch->options;

	if (!watch->over)
		watch->over =
			watch_seconds(watch) >= options->seconds ||
			(options->stop && options->stop(options->argument));
	return watch->over;
}
