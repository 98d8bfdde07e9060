/* A problem as the searches see it: times that matter are counted, sizes have
 * the largest unit that all share. */
#ifndef MNM_PLAN_SHAPE_H
#define MNM_PLAN_SHAPE_H

#include "plan/plan.h"

/* Time is cut into sections, so that in each one all that live in it live at
 * once. A buffer lives in sections from to to - 1, counted on beyond the last
 * one where it crosses the cut of a circle. */
struct shape {
	size_t count;
	uint32_t sections;
	bool circle;
	uint32_t *from, *to;
	int64_t *size, *align; /* in units */
	int64_t *most;         /* the largest load of the buffer's sections */
	int64_t *load;         /* the sizes that live in a section */
	int64_t bound;         /* the largest of them */
	uint64_t unit;         /* in bytes */
};

/* Of a problem that is right. */
enum plan_status shape_open(struct shape *shape,
			    const struct plan_problem *problem);
void shape_close(struct shape *shape);

static inline int64_t align_up(int64_t offset, int64_t align)
{
	return (offset + align - 1) & -align;
}

/* Whether two buffers live in one section. */
bool shape_conflict(const struct shape *shape, uint32_t a, uint32_t b);

#endif
