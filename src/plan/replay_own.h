/* The parts of a replay, for the files that it is made of. */
#ifndef MNM_REPLAY_OWN_H
#define MNM_REPLAY_OWN_H

#include "replay.h"

enum { GRAM = REPLAY_GRAM };

struct slot_state {
	bool live;
	uint64_t turn; /* the cycle in which it was placed last, from 2 on */
	struct replay_free freed;
};

/* Where a program is in the cycle. */
struct position {
	uint32_t next; /* the slot of the next request */
	uint64_t cycle;
	unsigned int missed; /* requests in a row without a slot */
	bool lost;           /* it is not known where it is */
	/* Of the last request: its slot is the last one of its cycle; it was
	 * passed over before. */
	bool turned, stray;
};

struct replay {
	size_t count, live; /* slots; of these live */
	size_t lap;         /* slots of a lap */
	size_t part;        /* of a lap, which it repeats as a whole */
	struct replay_slot *slots;
	struct slot_state *states;
	/* Of each slot its predecessors: before[starts[i]] up to, and without,
	 * before[starts[i + 1]]. */
	size_t *starts;
	uint32_t *before;
	/* Of each GRAM requests in a row the last one's slot in the first part
	 * of a lap, by a hash. */
	struct gram *grams;
	size_t grams_room;     /* a power of two */
	uint32_t recent[GRAM]; /* tokens of the last requests, a ring */
	uint32_t recent_at, recent_count;
	struct position at;   /* behind the last request that was served */
	struct position then; /* behind the one that was asked for last */
	uint32_t token;       /* of that one */
};

/* Finds the places of the grams. Returns false without memory. */
bool grams_open(struct replay *replay);

/* The slot of the request that was asked for last, if only one place of a part
 * has that one behind the ones before; or REPLAY_NONE. Of several parts and
 * laps it is the one that the program comes to first. */
uint32_t grams_find(const struct replay *replay);

#endif
