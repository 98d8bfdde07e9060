#include "plan/plan.h"

#include <stdlib.h>

#include "plan/events.h"
#include "plan/search.h"

/* In bytes, into plan. */
static enum plan_status take_plan(const struct search *search,
				  const struct plan_problem *problem,
				  struct plan *plan)
{
	uint64_t unit = search->shape->unit;
	struct plan made = {.bound = (uint64_t)search->bound * unit};
	enum plan_status status;
	bool valid;

	made.offsets = malloc((problem->count + 1) * sizeof *made.offsets);
	if (!made.offsets)
		return PLAN_NO_MEMORY;
	for (size_t i = 0; i < problem->count; i++)
		made.offsets[i] = (uint64_t)search->offsets[i] * unit;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): *plan has them */
	status = plan_is_valid(problem, made.offsets, &valid, &made.peak);
	if (status == PLAN_DONE && !valid)
		status = PLAN_WRONG;
	if (status) {
		free(made.offsets);
		return status;
	}
	made.seconds = watch_seconds(&search->watch);
	*plan = made;
	return PLAN_DONE;
}

static enum plan_status solve_none(struct plan *plan)
{
	uint64_t *offsets = malloc(sizeof *offsets);

	if (!offsets)
		return PLAN_NO_MEMORY;
	*plan = (struct plan){.offsets = offsets};
	return PLAN_DONE;
}

enum plan_status plan_solve(const struct plan_problem *problem,
			    const struct plan_options *options,
			    struct plan *plan)
{
	enum plan_status status;
	struct search search;
	struct shape shape;

	if (!problem_is_right(problem))
		return PLAN_WRONG;
	if (!problem->count)
		return solve_none(plan);
	status = shape_open(&shape, problem);
	if (status)
		return status;
	if (search_open(&search, &shape, options)) {
		search_quickly(&search);
		search_widely(&search);
		search_long(&search);
		status = take_plan(&search, problem, plan);
		search_close(&search);
	} else {
		status = PLAN_NO_MEMORY;
	}
	shape_close(&shape);
	return status;
}

void plan_release(struct plan *plan)
{
	free(plan->offsets);
	plan->offsets = NULL;
}
