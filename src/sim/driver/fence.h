/* Points in streams that something has to wait for. A position only grows,
 * also when a stream object is used again, so a point never becomes undone. */
#ifndef SIM_FENCE_H
#define SIM_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "past.h"

struct stream;

struct point {
	struct stream *stream;
	uint64_t position;
};

struct fence {
	struct point *points;
	unsigned count, room;
	struct past past; /* all that it ever ordered, for the checker */
};

/* A point that is complete is not added. False when memory is short. */
bool fence_add(struct fence *fence, struct stream *stream, uint64_t position);
bool fence_merge(struct fence *fence, const struct fence *other);
bool fence_done(struct fence *fence);  /* drops what is complete */
bool fence_asked(struct fence *fence); /* the same, and the host knows it */
void fence_wait(struct fence *fence);  /* drops the lock meanwhile */
void fence_pass(struct fence *fence);  /* and then the host knows nothing */
void fence_clear(struct fence *fence);

#endif
