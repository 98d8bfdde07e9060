/* The order in which buffers begin and end. */
#ifndef MNM_PLAN_EVENTS_H
#define MNM_PLAN_EVENTS_H

#include "plan/plan.h"

enum { EVENT_BEGIN = 1 };

/* Whether plan.h's rules hold for the problem. */
bool problem_is_right(const struct plan_problem *problem);

/* Whether the buffer lives across the cut of a circle. */
static inline bool problem_crosses(const struct plan_problem *problem, size_t i)
{
	return problem->period && problem->buffers[i].upper > problem->period;
}

/* Sets *events to an array, of malloc, with two words a buffer: its number
 * twice, plus EVENT_BEGIN where it begins. They are in the order of time, and
 * at one time all ends come first. On a circle time begins at 0, where those
 * that cross the cut live already. */
enum plan_status events_make(const struct plan_problem *problem,
			     uint32_t **events);

#endif
