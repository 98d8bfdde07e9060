/* Makes a plan lower. What sticks out above a limit is taken out of the plan,
 * and put in again below it: into a gap, or else where that costs the least.
 * What is in the way there is taken out in turn, and waits to be put in. To
 * take a buffer out costs more if it is large or lives long, and costs more
 * each time that others had to make room for it.
 *
 * Most of a plan stays as it is, so this suits large problems. */
#ifndef MNM_PLAN_REPAIR_H
#define MNM_PLAN_REPAIR_H

#include "plan/random.h"
#include "plan/shape.h"
#include "plan/sort.h"
#include "plan/watch.h"

/* A buffer in the plan, in those of its sections that lie before the cut of
 * the circle, or in those that lie behind it. */
struct repair_part {
	int64_t offset, top;
	uint32_t from, to;
	uint32_t buffer;
};

/* One that lives together with the buffer that is put in. */
struct repair_other {
	int64_t offset, top;
	double cost; /* of taking it out */
	uint32_t buffer;
};

struct repair {
	const struct shape *shape;
	/* Time in cells of as many sections. Each has a list of the parts that
	 * live in it, by offset. */
	uint32_t width, cells;
	size_t *starts;   /* of each list in parts, and an end */
	uint32_t *counts; /* of what is in it */
	uint32_t *passed; /* of that, what a search for a gap has passed */
	struct repair_part *parts;
	int64_t *offsets;  /* of each buffer; -1: it waits */
	double *costs;     /* of taking a buffer out */
	double *dearest;   /* to which its cost may rise */
	uint32_t *ranks;   /* the lower goes into the plan before the other */
	uint32_t *waiting; /* a heap of those that are not in the plan */
	uint32_t waiting_count;
	struct repair_other *others;
	uint32_t other_count;
	uint32_t *met; /* the last search that came across a buffer */
	uint32_t searches;
	struct sort_entry *by_offset, *by_top, *spare;
	struct random random;
};

/* False: no memory. The ranks are copied. */
bool repair_open(struct repair *repair, const struct shape *shape,
		 const uint32_t *ranks, uint64_t seed);
void repair_close(struct repair *repair);

/* Begins with a plan. */
void repair_start(struct repair *repair, const int64_t *offsets);

/* Takes the peak down to a limit, at least as large as the bound, in at most
 * that many steps. Returns how many it took, and sets the offsets; or
 * repair_failed, after which it has to be started again. */
uint32_t repair_run(struct repair *repair, int64_t limit, uint32_t steps,
		    struct watch *watch, int64_t *offsets);

static const uint32_t repair_failed = UINT32_MAX;

#endif
