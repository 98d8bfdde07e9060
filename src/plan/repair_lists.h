/* The plan that is repaired, by time and offset. */
#ifndef MNM_PLAN_REPAIR_LISTS_H
#define MNM_PLAN_REPAIR_LISTS_H

#include "plan/repair.h"

void repair_lists_clear(struct repair *repair);
void repair_lists_add(struct repair *repair, uint32_t buffer, int64_t offset);
void repair_lists_remove(struct repair *repair, uint32_t buffer);

/* The lowest offset at which a buffer fits below the limit, or -1. Also where
 * it lives across the cut of the circle, for which it does not look. */
int64_t repair_lists_gap(struct repair *repair, uint32_t buffer, int64_t limit);

/* Lists those that live together with a buffer, each once. */
void repair_lists_others(struct repair *repair, uint32_t buffer);

#endif
