/* Finds the place of each request of a program in the iteration that is
 * expected of it: a pointer that moves on with each request, jumps over a few
 * that did not come, waits while others come, and is set anew by the last
 * requests when it was lost. */
#ifndef MNM_PLAN_FOLLOW_H
#define MNM_PLAN_FOLLOW_H

#include "plan/cycle.h"

#define FOLLOW_NONE SIZE_MAX

struct follow {
	const struct cycle *cycle; /* has to outlive it */
	size_t at;                 /* the request that is expected next */
	size_t passed;     /* one that was jumped over, or FOLLOW_NONE */
	uint64_t lap;      /* how many iterations went by */
	uint64_t gram;     /* of the last requests that did not match */
	unsigned int lost; /* how many of these came in a row */
	unsigned int shift;
	uint32_t *places; /* by the hash of the requests that end there */
};

/* Expects the request that comes `since` requests after the period's first one,
 * or after one an iteration later. Returns false if there is no memory, or the
 * cycle is empty. */
bool follow_open(struct follow *follow, const struct cycle *cycle,
		 uint64_t since);
void follow_close(struct follow *follow);

/* Which of the cycle's requests this one is, or FOLLOW_NONE. */
size_t follow_next(struct follow *follow, uint32_t token);

#endif
