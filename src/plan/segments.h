/* Iterations as whole requests in a row, once it is known where they begin: one
 * that is equal to an earlier one is a shape of its own, also where others came
 * between the two. */
#ifndef MNM_SEGMENTS_H
#define MNM_SEGMENTS_H

#include "period.h"

enum { SEGMENTS_MOST = 64 }; /* that are remembered */

struct segment {
	uint64_t first, length; /* requests; length 0: none */
	uint64_t hash;          /* of their tokens, in order */
};

struct segments {
	struct segment all[SEGMENTS_MOST]; /* a ring */
	uint64_t count;
	uint64_t begin; /* the serial at which the present one began */
	bool begun;
};

/* An iteration begins with the request of that serial, the next one or one that
 * has come; so another one has ended. Returns whether that was equal to an
 * earlier one. *found is then the earlier one, whose buffers have mostly ended
 * by now, and *next says whether it came right before. */
bool segments_end(struct segments *segments, const struct history *history,
		  uint64_t serial, struct period *found, bool *next);

#endif
