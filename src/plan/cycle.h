/* The buffers of one iteration, as a problem of the planner on a circle. It is
 * a copy: the history may go on, and another thread may plan. */
#ifndef MNM_PLAN_CYCLE_H
#define MNM_PLAN_CYCLE_H

#include "plan/period.h"
#include "plan/plan.h"

#define CYCLE_NONE UINT32_MAX

enum {
	CYCLE_LAPS = 4, /* no buffer of a plan lives for longer */
	CYCLE_KEY = 8,  /* requests that tell iterations apart */
};

/* One request of the iteration, in order. */
struct cycle_request {
	uint32_t token;
	uint32_t at;    /* its place among all requests of the iteration */
	uint32_t place; /* of its buffer in the first lap, or CYCLE_NONE if it
			 * lives too long to be planned */
	uint64_t size;  /* bytes */
	uint64_t level; /* bytes that lived before it came */
};

/* A request of the program, up to that iteration. */
struct cycle_before {
	uint64_t size;
	uint32_t token;
	uint32_t life; /* requests; 0: it lived still */
};

struct cycle {
	struct cycle_request *requests;
	size_t count;
	uint64_t length; /* of one iteration, in requests */
	/* Where a buffer outlives its iteration, the next one needs another
	 * address for it. So the circle has as many laps as the longest life.
	 * In lap k, the buffer of a request is place + k * per_lap. */
	uint32_t laps;
	size_t per_lap;
	struct plan_problem problem;
	uint64_t key;        /* of its first requests */
	uint64_t peak;       /* the most bytes of the plan that live at a time:
			      * none can be smaller */
	uint64_t bytes;      /* that an iteration asks for */
	uint64_t left_out;   /* of these, bytes that are not planned */
	uint64_t persistent; /* bytes that lived all the while besides */
	/* All requests from the program's first one to the end of the
	 * iteration, which begins with number `first` of them; NULL if they are
	 * not all known any more, or are many. */
	struct cycle_before *before;
	uint64_t before_count, first;
};

/* Copies the period out of its history. Returns false if there is no memory, or
 * the history has forgotten a part. */
bool cycle_make(struct cycle *cycle, const struct history *history,
		const struct period *period);
void cycle_release(struct cycle *cycle);

/* The key of CYCLE_KEY tokens. */
uint64_t cycle_key(const uint32_t *tokens);

#endif
