/* Places buffers in a given order, each into a gap between those before. */
#ifndef MNM_PLAN_FIT_H
#define MNM_PLAN_FIT_H

#include "plan/shape.h"

struct fit_placed {
	int64_t offset, top;
	uint32_t from, to;
};

struct fit {
	const struct shape *shape;
	struct fit_placed *placed; /* by offset */
	uint32_t *order;
};

enum fit_rule {
	FIT_FIRST, /* the lowest gap that is large enough */
	FIT_BEST,  /* the smallest one */
};

/* False: no memory. */
bool fit_open(struct fit *fit, const struct shape *shape);
void fit_close(struct fit *fit);

/* The lower rank first; ranks are the numbers below the count of buffers. Takes
 * time that grows as the square of that. Returns the peak, or INT64_MAX as soon
 * as it would reach limit. */
int64_t fit_run(struct fit *fit, const uint32_t *ranks, enum fit_rule rule,
		int64_t limit, int64_t *offsets);

#endif
