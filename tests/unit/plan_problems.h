/* Problems of placement that are drawn, and slow answers that are sure. */
#ifndef MNM_TEST_PLAN_PROBLEMS_H
#define MNM_TEST_PLAN_PROBLEMS_H

#include "plan/plan.h"

enum { DRAWN_MOST = 64 };

struct drawn {
	struct plan_buffer buffers[DRAWN_MOST];
	struct plan_problem problem;
};

struct draw_rules {
	size_t least, most;  /* buffers; at most DRAWN_MOST */
	uint64_t time, size; /* the latest end, the largest size */
	bool circle, align;
};

/* The same seed and rules give the same problem. */
void problem_draw(uint64_t seed, const struct draw_rules *rules,
		  struct drawn *drawn);

/* Compares each pair of buffers. */
bool offsets_are_valid(const struct plan_problem *problem,
		       const uint64_t *offsets);

/* The lowest peak that there is, from all orders; for a few buffers. */
uint64_t peak_of_best(const struct plan_problem *problem);

#endif
