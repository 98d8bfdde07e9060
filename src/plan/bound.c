#include "plan/plan.h"

#include <stdlib.h>

#include "plan/events.h"

enum plan_status plan_bound(const struct plan_problem *problem, uint64_t *bound)
{
	uint64_t live = 0, most;
	enum plan_status status;
	uint32_t *events;

	if (!problem_is_right(problem))
		return PLAN_WRONG;
	status = events_make(problem, &events);
	if (status)
		return status;
	for (size_t i = 0; i < problem->count; i++)
		if (problem_crosses(problem, i))
			live += problem->buffers[i].size;
	most = live;
	for (size_t i = 0; i < 2 * problem->count; i++) {
		uint64_t size = problem->buffers[events[i] / 2].size;

		live += events[i] & EVENT_BEGIN ? size : -size;
		if (live > most)
			most = live;
	}
	free(events);
	*bound = most;
	return PLAN_DONE;
}
