#include "job.h"

#include <stdlib.h>

#include "plan_file.h"

enum { CALM_PART = 64 }; /* of a plan's peak */

struct plan_job *plan_job_new(const struct history *history,
			      const struct period *period, double seconds)
{
	struct plan_job *job = calloc(1, sizeof(*job));

	if (job && cycle_make(&job->cycle, history, period)) {
		job->seconds = seconds;
		job->number = period->number;
		job->exact = period->exact;
		return job;
	}
	free(job);
	return NULL;
}

struct plan_job *plan_job_load(void)
{
	struct plan_job *job = calloc(1, sizeof(*job));

	if (job)
		job->loads = true;
	return job;
}

void plan_job_close(struct plan_job *job)
{
	if (!job)
		return;
	free(job->file);
	beginning_release(&job->beginning);
	cycle_release(&job->cycle);
	replay_close(job->replay);
	free(job);
}

/* The slot of a request in a lap. */
static struct replay_slot slot_of(const struct cycle *cycle,
				  const struct plan *plan, size_t request,
				  size_t lap)
{
	const struct cycle_request *at = &cycle->requests[request];
	struct replay_slot slot = {
		.token = at->token, .request = at->at, .level = at->level};
	size_t buffer = at->place + lap * cycle->per_lap;

	if (at->place == CYCLE_NONE)
		return slot;
	slot.size = cycle->problem.buffers[buffer].size;
	slot.offset = plan->offsets[buffer];
	slot.life = (uint32_t)(cycle->problem.buffers[buffer].upper -
			       cycle->problem.buffers[buffer].lower);
	slot.plain = slot.token == history_token(slot.size, 0);
	return slot;
}

static struct replay *replay_of(const struct cycle *cycle,
				const struct plan *plan)
{
	size_t count = cycle->count * cycle->laps;
	struct replay_slot *slots = calloc(count, sizeof(*slots));
	struct replay *replay = NULL;

	if (!slots)
		return NULL;
	for (size_t i = 0; i < count; i++)
		slots[i] = slot_of(cycle, plan, i % cycle->count,
				   i / cycle->count);
	if (count < REPLAY_NONE / 2)
		replay = replay_open(slots, count, cycle->laps);
	free(slots);
	return replay;
}

/* How many bytes are live as each request of an iteration comes; without
 * memory NULL. A buffer that lives over several of them counts in each. */
static uint64_t *levels_of(const struct cycle *cycle)
{
	const struct plan_buffer *at = cycle->problem.buffers;
	uint64_t *levels = calloc(cycle->length, sizeof(*levels));

	if (!levels)
		return NULL;
	for (size_t i = 0; i < cycle->per_lap; i++, at++)
		for (uint64_t time = at->lower + 1; time < at->upper; time++)
			levels[time % cycle->length] += at->size;
	return levels;
}

static void least_find(struct plan_job *job)
{
	const struct cycle *cycle = &job->cycle;
	uint64_t *levels = levels_of(cycle);
	size_t least = 0;

	for (size_t i = 1; levels && i < cycle->count; i++)
		if (levels[cycle->requests[i].at] <
		    levels[cycle->requests[least].at])
			least = i;
	job->least = (uint32_t)least;
	if (levels)
		job->calm = cycle->persistent +
			    levels[cycle->requests[least].at] +
			    job->peak / CALM_PART;
	free(levels);
}

/* Takes a plan into use, which has its cycle. */
static void plan_use(struct plan_job *job, const struct plan *plan)
{
	job->replay = replay_of(&job->cycle, plan);
	job->peak = plan->peak;
	job->bound = plan->bound;
	job->took = plan->seconds;
}

static void file_load(struct plan_job *job)
{
	struct plan_file file;

	if (!job->wrong)
		job->wrong = plan_file_read(&file, job->file, job->file_size);
	if (job->wrong)
		return;
	job->cycle = file.cycle;
	job->least = file.least;
	job->beginning = file.beginning;
	plan_use(job, &file.plan);
	if (!job->replay)
		job->wrong =
			"there is no memory for it, or it is too intricate";
	plan_release(&file.plan);
}

/* Whoever can't be told of the plan can do without. */
static void file_make(struct plan_job *job, const struct plan *plan)
{
	const struct plan_file file = {.cycle = job->cycle,
				       .plan = *plan,
				       .least = job->least,
				       .beginning = job->beginning,
				       .device = job->device};

	job->file = plan_file_write(&file, &job->file_size);
}

void plan_job_run(struct plan_job *job, bool (*stop)(void *argument))
{
	const struct plan_options options = {
		.seconds = job->seconds, .seed = 1, .stop = stop};
	struct plan plan;

	if (job->loads) {
		file_load(job);
		return;
	}
	if (!job->cycle.count || !job->cycle.problem.count ||
	    plan_solve(&job->cycle.problem, &options, &plan))
		return;
	plan_use(job, &plan);
	least_find(job);
	job->beginning = beginning_find(&job->cycle, job->least);
	file_make(job, &plan);
	plan_release(&plan);
}
