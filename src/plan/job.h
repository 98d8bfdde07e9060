/* The making of a plan: from the requests of a cycle to a replay of it. It is a
 * piece of work for a thread that has time. */
#ifndef MNM_PLAN_JOB_H
#define MNM_PLAN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "cycle.h"
#include "replay.h"

struct plan_job {
	struct cycle cycle;
	uint64_t number; /* of the period */
	double seconds; /* that it may take of its thread's time */
	/* Set by plan_job_run: NULL without memory. */
	struct replay *replay;
	uint64_t peak, bound; /* bytes of the plan; no plan has less */
	double took;          /* seconds of the thread's time */
	uint32_t least;       /* the slot of a lap at which least is live */
	bool dropped;         /* whoever waited for it does not any more */
};

/* A job for the period, or NULL without memory, or if the history has forgotten
 * a part of it. */
struct plan_job *plan_job_new(const struct history *history,
			      const struct period *period, double seconds);
void plan_job_close(struct plan_job *job); /* and its replay, if it has one */

/* Makes the plan. stop: asked now and then; true ends it with the best so
 * far. */
void plan_job_run(struct plan_job *job, bool (*stop)(void *argument));

#endif
