/* A fence: points in streams that something has to wait for. Positions only
 * grow, even when a stream object is used again, so a point that is complete
 * stays complete. */
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
	struct past past; /* all that it ever ordered */
};

/* A point that is complete is not added. Both return false when memory
 * is short. */
bool fence_add(struct fence *fence, struct stream *stream, uint64_t position);
bool fence_merge(struct fence *fence, const struct fence *other);
/* Whether the fence waits for this point of a stream, or for a later one. */
bool fence_has(const struct fence *fence, const struct stream *stream,
	       uint64_t position);
/* Whether all points are complete. Drops those that are. */
bool fence_done(struct fence *fence);
/* The same for a query: if all are complete, the host knows it from now on.
 * Also returns false when memory is short. */
bool fence_asked(struct fence *fence);
/* Waits for all points. Drops the lock meanwhile. */
void fence_wait(struct fence *fence);
/* The same, but the host does not count as having waited. */
void fence_pass(struct fence *fence);
void fence_clear(struct fence *fence);

#endif
