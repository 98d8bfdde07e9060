/* Questions to running programs, over their control sockets. */
#ifndef MNM_ASK_H
#define MNM_ASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"

struct arguments;

/* A command ends after so many milliseconds, whatever it waits for. */
enum { COMMAND_MS = 5000 };

/* The time in milliseconds, for deadlines. */
int64_t ms_now(void);

/* Set by a signal: every wait then ends at once. */
extern volatile sig_atomic_t ask_stopped;

/* A request to programs. */
struct request {
	json_t *json;       /* its fields, as protocol.h has them */
	const char *answer; /* the field that an answer to it has */
	bool order;         /* it changes something */
};

/* The request of that command, with the arguments that are given; a field has
 * its argument's name. */
json_t *request_json(const char *name, const struct arguments *arguments);

/* Finds the programs that the arguments name. Returns false if there are none,
 * which it prints unless an empty list will say it. */
bool targets_find(struct jobs *jobs, const struct arguments *arguments,
		  bool list);

/* Asks the jobs with job->asked, all at once, until the deadline. Each of them
 * then has an answer, or a state and an error. An order that was not answered
 * by then is not carried out later. */
void jobs_ask(struct jobs *jobs, const struct request *request,
	      int64_t deadline);

/* Asks all jobs that have a socket, as jobs_ask does. */
void jobs_ask_all(struct jobs *jobs, const struct request *request,
		  int64_t deadline);

/* Asks the jobs with job->asked, or all that have a socket, for their
 * figures. */
void jobs_ask_stat(struct jobs *jobs, bool all, int64_t deadline);

/* Finds all jobs and asks them for their figures, by the deadline. */
void jobs_look(struct jobs *jobs, int64_t deadline);

#endif
