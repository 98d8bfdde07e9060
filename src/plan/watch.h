/* When a search has to end. */
#ifndef MNM_PLAN_WATCH_H
#define MNM_PLAN_WATCH_H

#include "plan/plan.h"

struct watch {
	const struct plan_options *options;
	double start; /* of this thread's time, in seconds */
	bool over;    /* stays so */
};

void watch_start(struct watch *watch, const struct plan_options *options);
/* Asks the clock and the caller. */
bool watch_is_over(struct watch *watch);
double watch_seconds(const struct watch *watch);

#endif
