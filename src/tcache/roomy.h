/* Roomy blocks: a thread's cache serves requests by idle blocks that are larger
 * than their spans, within what src/heap/idle_limit.h allows. It is asked for a
 * lease now and then, and told of what was served and freed since, so that
 * neither a request nor a free needs a lock. */
#ifndef MNM_ROOMY_H
#define MNM_ROOMY_H

#include <stddef.h>
#include <stdint.h>

enum {
	ROOMY_SHARE = 1,   /* a block may be larger than its request by one part
			    * in so many */
	ROOMY_EVENTS = 64, /* a power of two, at most 256 */
};

/* What became of blocks of `given` bytes that serve requests of span bytes. */
struct roomy_event {
	size_t span, given;
	/* How many more of them serve now than in the beginning; and the least
	 * and the most that it ever were. */
	int32_t more, least, most;
};

struct lease {
	uint64_t turn; /* device->idle_turn: otherwise it is over */
	size_t left;   /* bytes that blocks may still have to spare */
};

/* Used by the cache's own thread alone. */
struct roomy {
	struct lease lease;
	int64_t until; /* the lease is over with so many frees */
	size_t count;  /* of events that were not told yet */
	struct roomy_event events[ROOMY_EVENTS];
	uint8_t event_of[ROOMY_EVENTS];  /* by a hash; maybe of others */
	uint16_t place_of[ROOMY_EVENTS]; /* likewise, see tcache_place */
};

#endif
