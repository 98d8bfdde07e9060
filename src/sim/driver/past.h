/* A vector clock: how far each stream had come when something happened.
 *
 * A lane is a stream as the checker sees it. What is in a past is ordered
 * before whoever has that past, by streams, events, gates or a host that
 * waited; being complete by luck puts nothing there. Empty when the checker
 * is off. */
#ifndef SIM_PAST_H
#define SIM_PAST_H

#include <stdbool.h>
#include <stdint.h>

struct past {
	uint64_t *at; /* positions, by lane */
	unsigned room;
};

/* Of all that either has. False when memory is short. */
bool past_join(struct past *past, const struct past *other);
/* With that lane up to this position at least. */
bool past_reach(struct past *past, unsigned lane, uint64_t position);
bool past_has(const struct past *past, unsigned lane, uint64_t position);
void past_clear(struct past *past);

#endif
