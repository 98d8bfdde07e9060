/* Places buffers in one pass, always into the lowest gap.
 *
 * What is placed has an upper edge, the skyline: a height for each section.
 * Where it is lowest, between two higher parts, the best of the buffers that
 * fit between these is placed. If none fits, the gap is filled up to the lower
 * of the two. What is lost are only these fillings. */
#ifndef MNM_PLAN_SKYLINE_H
#define MNM_PLAN_SKYLINE_H

#include "plan/shape.h"

/* The least rank, and the least end, of the buffers below a node. */
struct skyline_node {
	uint32_t rank, to;
};

struct skyline {
	const struct shape *shape;
	/* A tree over the buffers that are not placed, in the order in which
	 * they begin. */
	struct skyline_node *tree;
	uint32_t *leaf_of; /* of a buffer */
	uint32_t *leaves;  /* the first that begins in each section or later */
	uint32_t *of_rank; /* which buffer has a rank */
	/* Flat parts of the skyline, by the section where each begins. */
	int64_t *height;
	uint32_t *length, *before;
	uint32_t *heap, *heap_at; /* the lowest is first */
	uint32_t heap_count;
};

/* False: no memory. */
bool skyline_open(struct skyline *skyline, const struct shape *shape);
void skyline_close(struct skyline *skyline);

/* Places all, the lower rank first; ranks are the numbers below the count of
 * buffers. Returns the peak, or INT64_MAX as soon as it would reach limit. */
int64_t skyline_run(struct skyline *skyline, const uint32_t *ranks,
		    int64_t limit, int64_t *offsets);

#endif
