#include "plan/events.h"

#include <stdlib.h>

#include "plan/sort.h"

#define SIZE_MOST ((uint64_t)1 << 48)
#define SUM_MOST  ((uint64_t)1 << 63)

static bool buffer_is_right(const struct plan_buffer *buffer, uint64_t period)
{
	uint64_t align = buffer->align;

	if (buffer->lower >= buffer->upper)
		return false;
	if (!buffer->size || buffer->size > SIZE_MOST)
		return false;
	if (align > SIZE_MOST || align & (align - 1))
		return false;
	return !period || (buffer->lower < period &&
			   buffer->upper - buffer->lower <= period);
}

bool problem_is_right(const struct plan_problem *problem)
{
	uint64_t sum = 0;

	if (problem->count > PLAN_MOST)
		return false;
	for (size_t i = 0; i < problem->count; i++) {
		const struct plan_buffer *buffer = &problem->buffers[i];

		if (!buffer_is_right(buffer, problem->period))
			return false;
		/* What its alignment may cost counts as well, so that no
		 * offset can be too large for 63 bits. */
		sum += buffer->size + (buffer->align > 1 ? buffer->align : 0);
		if (sum >= SUM_MOST)
			return false;
	}
	return true;
}

enum plan_status events_make(const struct plan_problem *problem,
			     uint32_t **events)
{
	size_t n = problem->count;
	struct sort_entry *entries = malloc((4 * n + 1) * sizeof *entries);
	uint32_t *made = malloc((2 * n + 1) * sizeof *made);

	if (!entries || !made) {
		free(entries);
		free(made);
		return PLAN_NO_MEMORY;
	}
	/* Equal times keep this order, so ends come first. */
	for (uint32_t i = 0; i < n; i++) {
		uint64_t end = problem->buffers[i].upper;

		if (problem_crosses(problem, i))
			end -= problem->period;
		entries[i] = (struct sort_entry){end, 2 * i};
		entries[n + i] = (struct sort_entry){problem->buffers[i].lower,
						     2 * i + EVENT_BEGIN};
	}
	sort_entries(entries, entries + 2 * n, 2 * n);
	for (size_t i = 0; i < 2 * n; i++)
		made[i] = entries[i].id;
	free(entries);
	*events = made;
	return PLAN_DONE;
}
