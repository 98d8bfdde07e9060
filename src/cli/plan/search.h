/* A search for a plan that a person follows, and may end by Ctrl-C. */
#ifndef MNM_SEARCH_H
#define MNM_SEARCH_H

#include "plan/plan.h"

/* As plan_solve, with progress on stderr if that is a terminal. From here on,
 * the first Ctrl-C, SIGTERM or SIGHUP only ends the search, so that what was
 * found can still be told (cli/progress.h); the second ends the process. The
 * functions among the options are not used. */
enum plan_status search(const struct plan_problem *problem,
			const struct plan_options *options, struct plan *plan);

#endif
