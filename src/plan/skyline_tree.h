/* Which buffer to place in a gap. */
#ifndef MNM_PLAN_SKYLINE_TREE_H
#define MNM_PLAN_SKYLINE_TREE_H

#include "plan/skyline.h"

void skyline_tree_fill(struct skyline *skyline, const uint32_t *ranks);
void skyline_tree_remove(struct skyline *skyline, uint32_t buffer);
/* The least rank of those that begin in [from, end) and end at to or before;
 * UINT32_MAX if there is none. */
uint32_t skyline_tree_find(const struct skyline *skyline, uint32_t from,
			   uint32_t end, uint32_t to);

#endif
