/* Where the first iteration of a program begins: after how many requests, and
 * which these are. A later run of the same program can tell by that when it is
 * there, before anything has repeated. The requests of an iteration alone do
 * not tell it: what a program takes to keep, such as weights, often looks like
 * a part of the iteration, which has temporaries of the same sizes.
 *
 * In its first iteration a program may ask for more, which it keeps, such as
 * gradients and what an optimizer remembers. Those requests are known by their
 * numbers: in a plan's places they would be in the way for ever. */
#ifndef MNM_PLAN_BEGINNING_H
#define MNM_PLAN_BEGINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests are numbered from 0, since the pool was opened. */
struct beginning_kept {
	uint64_t request; /* its number */
	uint64_t size;    /* bytes */
};

struct beginning {
	bool known;                  /* if not, all that follows is 0 */
	uint32_t slot;               /* the first request, of those of a lap */
	uint64_t requests;           /* that come before it; not 0 */
	uint64_t sum;                /* of these, by beginning_add from 0 on */
	struct beginning_kept *kept; /* by rising numbers, from malloc */
	size_t kept_count;
};

/* Takes one more request into the sum of those before. It stays below 2^63. */
static inline uint64_t beginning_add(uint64_t sum, uint32_t token)
{
	sum = (sum ^ token) * UINT64_C(0x9e3779b97f4a7c15);
	return (sum ^ sum >> 29) >> 1;
}

struct cycle;

/* Looks for the beginning in what the cycle says of the requests before it.
 * least: the request of a lap at which least is live, where iterations
 * begin. */
struct beginning beginning_find(const struct cycle *cycle, uint32_t least);
void beginning_release(struct beginning *beginning);

#endif
