/* Places buffers in a given order, each into a gap between those before. */
#ifndef MNM_PLAN_FIT_H
#define MNM_PLAN_FIT_H

#include "plan/shape.h"

struct fit_placed {
	int64_t offset, top;
	uint32_t from, to;
};

/* What is placed is listed by offset: all in the first list, and what lives in
 * a stretch of time in a list of its own. Each stretch begins half of its
 * length after the one before, so that a life of no more than that is within
 * one. */
struct fit {
	const struct shape *shape;
	uint32_t half;    /* of a stretch's sections */
	uint32_t lists;   /* with the first */
	size_t *starts;   /* of each list in placed, and an end */
	uint32_t *counts; /* of what is in it */
	struct fit_placed *placed;
	uint32_t *order;
};

enum fit_rule {
	FIT_FIRST, /* the lowest gap that is large enough */
	FIT_BEST,  /* the smallest one */
};

/* False: no memory. */
bool fit_open(struct fit *fit, const struct shape *shape);
void fit_close(struct fit *fit);

/* The lower rank first; ranks are the numbers below the count of buffers.
 * Returns the peak, or INT64_MAX as soon as it would reach limit. */
int64_t fit_run(struct fit *fit, const uint32_t *ranks, enum fit_rule rule,
		int64_t limit, int64_t *offsets);

#endif
