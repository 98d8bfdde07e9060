/* A running program's recording, which is read while it is made. */
#ifndef MNM_SHADOW_FOLLOWED_H
#define MNM_SHADOW_FOLLOWED_H

#include <limits.h>
#include <stdbool.h>

#include <mnm/record.h>

#include "cli/job.h"
#include "folder.h"

struct followed {
	struct jobs jobs; /* the one that was asked for */
	struct mnm_record *record;
	bool is_ours;                /* the recording was begun for this */
	struct shadow_folder folder; /* of it, if it is ours */
	char path[PATH_MAX];
};

/* Finds the program. Prints what is wrong and returns false; there is nothing
 * to end then. */
bool followed_find(struct followed *followed, int pid);

/* Begins its recording; one that is being made already is read where it is.
 * Prints what is wrong and returns false. */
bool followed_begin(struct followed *followed);

/* Asks the program for its figures. Returns false if it has ended or does not
 * answer; its job has those that it gave last. */
bool followed_ask(struct followed *followed);

/* Whether, by its last answer, that recording is still made. */
bool followed_runs(struct followed *followed);

/* Ends and removes the recording, if one was begun. */
void followed_end(struct followed *followed);

#endif
