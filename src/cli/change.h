/* What orders have changed, and memory that goes back after them. */
#ifndef MNM_CHANGE_H
#define MNM_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct job;
struct jobs;

/* Notes, as pending_bytes of each device in the jobs' answers, how much has not
 * gone back yet. If wait is set, first waits until all of it has gone back, for
 * 2 s at most and no longer than until the deadline. */
void pending_wait(struct jobs *jobs, int64_t deadline, bool wait);

/* Writes a line for each device in the job's answer: what was done to it. */
void change_write(FILE *out, const struct job *job);

/* Writes the line that says where the job is recorded, or was. */
void record_write(FILE *out, const struct job *job);

#endif
