/* A vector clock: how far each stream had come when something happened.
 *
 * A lane is a stream in one of its lives. What is in a past is ordered before
 * the holder of that past: by streams, events, gates or a host that waited.
 * Work that only happens to be complete is not in it. Pasts are for the checker
 * and for the reuse of memory in pools. They are empty as long as the checker
 * is off and no memory came from a pool. */
#ifndef SIM_PAST_H
#define SIM_PAST_H

#include <stdbool.h>
#include <stdint.h>

struct past {
	uint64_t *at; /* positions, by lane */
	unsigned room;
};

/* Adds all that the other past has. Returns false when memory is short. */
bool past_join(struct past *past, const struct past *other);
/* Raises the lane to this position at least. Returns false when memory
 * is short. */
bool past_reach(struct past *past, unsigned lane, uint64_t position);
bool past_has(const struct past *past, unsigned lane, uint64_t position);
/* Whether the past has all that the other one has. */
bool past_covers(const struct past *past, const struct past *other);
void past_clear(struct past *past);

#endif
