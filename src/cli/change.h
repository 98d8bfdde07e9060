/* Memory that goes back after an order. */
#ifndef MNM_CHANGE_H
#define MNM_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct jobs;

/* Notes, as pending_bytes of each device in the jobs' answers, how much has not
 * gone back yet. If wait is set, first waits until all of it has gone back, for
 * 2 s at most and no longer than until the deadline. */
void pending_wait(struct jobs *jobs, int64_t deadline, bool wait);

#endif
