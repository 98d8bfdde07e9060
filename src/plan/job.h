/* The making of a plan: from the requests of a cycle, or the bytes of a file,
 * to a replay of it. It is a piece of work for a thread that has time. */
#ifndef MNM_PLAN_JOB_H
#define MNM_PLAN_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "beginning.h"
#include "cycle.h"
#include "replay.h"

struct plan_job {
	struct cycle cycle;
	uint64_t number;     /* of the period; 0: it is not known */
	bool exact;          /* as the period is */
	double seconds;      /* that it may take of its thread's time */
	unsigned int device; /* its ordinal, for the file */
	bool loads;          /* the plan is that of the file */
	/* The plan as a file (plan_file.h), from malloc. If it loads, whoever
	 * runs it has set this before, or `wrong`; else plan_job_run sets it,
	 * if it can. */
	unsigned char *file;
	size_t file_size;
	const char *wrong; /* with the file; NULL: nothing */
	/* Set by plan_job_run: NULL without memory, or if the file is wrong. */
	struct replay *replay;
	uint64_t peak, bound; /* bytes of the plan; no plan has less */
	double took;          /* seconds of the thread's time */
	uint32_t least;       /* the slot of a lap at which least is live */
	uint64_t calm; /* bytes: hardly more are live then, of what the history
			* knows */
	struct beginning beginning;
	bool dropped; /* whoever waited for it does not any more */
};

/* A job for the period, or NULL without memory, or if the history has forgotten
 * a part of it. */
struct plan_job *plan_job_new(const struct history *history,
			      const struct period *period, double seconds);
/* The same for a plan that a file has. */
struct plan_job *plan_job_load(void);
void plan_job_close(struct plan_job *job); /* with its replay and its file */

/* Makes the plan. stop: asked now and then; true ends it with the best so
 * far. */
void plan_job_run(struct plan_job *job, bool (*stop)(void *argument));

#endif
