/* Questions to running programs, over their control sockets. */
#ifndef MNM_ASK_H
#define MNM_ASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/* A command is over after so long, whatever it waits for. */
enum { COMMAND_MS = 5000 };

/* Milliseconds, for deadlines. */
int64_t ms_now(void);

/* Set by a signal: what waits returns at once. */
extern volatile sig_atomic_t ask_stopped;

/* What is asked. */
struct request {
	json_t *json;       /* its fields, as protocol.h has them */
	const char *answer; /* the field that an answer to it has */
	bool order;         /* it changes something */
};

/* Asks those with job->asked, all at once, until the deadline. Each then has
 * an answer, or a state and an error. An order that was not answered by then is
 * not carried out later. */
void jobs_ask(struct jobs *jobs, const struct request *request,
	      int64_t deadline);

/* As jobs_ask, of all that have a socket. */
void jobs_ask_all(struct jobs *jobs, const struct request *request,
		  int64_t deadline);

/* Asks those with job->asked, or all that have a socket, for their figures. */
void jobs_ask_stat(struct jobs *jobs, bool all, int64_t deadline);

#endif
