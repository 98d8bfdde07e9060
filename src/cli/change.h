/* Memory that goes back after an order. */
#ifndef MNM_CHANGE_H
#define MNM_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct jobs;

/* Notes with each device of the jobs' answers how much has not gone back yet,
 * as pending_bytes, after a wait for it until the deadline if that is wanted.
 */
void pending_wait(struct jobs *jobs, int64_t deadline, bool wait);

#endif
