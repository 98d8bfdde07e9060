/* Says whether a plan may be used, and trusts nothing that made it. */
#include "plan/plan.h"

#include <stdlib.h>

#include "plan/events.h"
#include "plan/rank_set.h"
#include "plan/sort.h"

struct sweep {
	const struct plan_problem *problem;
	const uint64_t *offsets;
	struct sort_entry *order; /* of the buffers, by offset */
	uint32_t *ranks;          /* of each buffer in that order */
	struct rank_set live;
};

static bool offsets_are_right(const struct plan_problem *problem,
			      const uint64_t *offsets, uint64_t *peak)
{
	*peak = 0;
	for (size_t i = 0; i < problem->count; i++) {
		const struct plan_buffer *buffer = &problem->buffers[i];
		uint64_t end = offsets[i] + buffer->size;

		if (end < buffer->size)
			return false;
		if (buffer->align && offsets[i] & (buffer->align - 1))
			return false;
		if (end > *peak)
			*peak = end;
	}
	return true;
}

/* Whether the buffer of the lower rank ends where that of the higher begins, or
 * before. */
static bool ranks_fit(const struct sweep *sweep, uint32_t low, uint32_t high)
{
	uint32_t below = sweep->order[low].id, above = sweep->order[high].id;

	return sweep->offsets[below] + sweep->problem->buffers[below].size <=
	       sweep->offsets[above];
}

/* No two that live overlap so far, so only the neighbours can be in the way. */
static bool sweep_begin(struct sweep *sweep, uint32_t buffer)
{
	uint32_t rank = sweep->ranks[buffer];
	uint32_t below = rank_set_below(&sweep->live, rank);
	uint32_t above = rank_set_above(&sweep->live, rank);

	rank_set_add(&sweep->live, rank);
	return (below == rank_none || ranks_fit(sweep, below, rank)) &&
	       (above == rank_none || ranks_fit(sweep, rank, above));
}

static bool sweep_run(struct sweep *sweep, const uint32_t *events)
{
	size_t n = sweep->problem->count;

	for (uint32_t i = 0; i < n; i++)
		if (problem_crosses(sweep->problem, i) &&
		    !sweep_begin(sweep, i))
			return false;
	for (size_t i = 0; i < 2 * n; i++) {
		uint32_t buffer = events[i] / 2;

		if (!(events[i] & EVENT_BEGIN))
			rank_set_remove(&sweep->live, sweep->ranks[buffer]);
		else if (!sweep_begin(sweep, buffer))
			return false;
	}
	return true;
}

static void sweep_rank(struct sweep *sweep)
{
	size_t n = sweep->problem->count;

	for (uint32_t i = 0; i < n; i++)
		sweep->order[i] = (struct sort_entry){sweep->offsets[i], i};
	sort_entries(sweep->order, sweep->order + n, n);
	for (uint32_t rank = 0; rank < n; rank++)
		sweep->ranks[sweep->order[rank].id] = rank;
}

enum plan_status plan_is_valid(const struct plan_problem *problem,
			       const uint64_t *offsets, bool *valid,
			       uint64_t *peak)
{
	struct sweep sweep = {problem, offsets, NULL, NULL, {{NULL}}};
	enum plan_status status = PLAN_NO_MEMORY;
	size_t n = problem->count;
	uint32_t *events = NULL;
	uint64_t end;

	if (!problem_is_right(problem))
		return PLAN_WRONG;
	if (!offsets_are_right(problem, offsets, &end)) {
		*valid = false;
		return PLAN_DONE;
	}
	sweep.order = malloc((2 * n + 1) * sizeof *sweep.order);
	sweep.ranks = malloc((n + 1) * sizeof *sweep.ranks);
	if (!sweep.order || !sweep.ranks || !rank_set_open(&sweep.live, n))
		goto out;
	status = events_make(problem, &events);
	if (status)
		goto out_set;
	sweep_rank(&sweep);
	*valid = sweep_run(&sweep, events);
	if (*valid)
		*peak = end;
	free(events);
out_set:
	rank_set_close(&sweep.live);
out:
	free(sweep.ranks);
	free(sweep.order);
	return status;
}
