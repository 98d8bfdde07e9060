/* The file of a plan that a program begins with: option `plan`. */
#ifndef MNM_PLAN_SOURCE_H
#define MNM_PLAN_SOURCE_H

#include <stdbool.h>

enum { PLAN_SOURCE_SIZE = 600 };

struct plan_job;

/* The option's value, which stays; empty: none. To be set before there is a
 * pool. */
void plan_source_set(const char *option);
bool plan_source_is_set(void);

/* The path that is meant for a device: the option's, with %d replaced. */
void plan_source_path(unsigned int device, char path[PLAN_SOURCE_SIZE]);

/* Reads that file into a job that loads it, or says in the job what is wrong.
 * Waits for nobody: what is not a regular file is not read. */
void plan_source_read(struct plan_job *job);

#endif
