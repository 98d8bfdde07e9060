/* What a pool that places its blocks is given: regions, and free bytes in
 * them. */
#ifndef MNM_PLACE_H
#define MNM_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Physical memory of a device comes in whole pages. A region's size is a
 * multiple, but where it is of pinned memory. */
#define REGION_PAGE ((size_t)2 << 20)

/* Memory that a pool has taken to place blocks in. */
struct region {
	uint64_t base; /* a multiple of SPAN_UNIT */
	size_t bytes;  /* from base on */
	/* Whether it grows at its end, and parts of it, in whole pages, can go
	 * back by themselves, or move there. Else it goes back whole. */
	bool grows;
	/* The pool's own. A region begins as lack->kind says, and not
	 * listed. */
	unsigned int kind;
	bool listed;
	uint64_t since; /* by the pool's own count of requests */
	struct region *next;
};

/* Some bytes of a region. */
struct place {
	struct region *region;
	uint64_t addr;
	size_t bytes;
	/* As in a block that was freed: when they may be used again. */
	uint64_t epoch;
	unsigned int stream;
};

/* How a pool is to grow. */
enum growth_rule {
	GROW_FREELY,
	GROW_LEAST, /* memory is short: by no more fresh bytes than needed */
	GROW_FRESH, /* by fresh bytes alone: others may not be used by now */
	GROW_LEAST_FRESH, /* both */
};

static inline bool growth_is_least(enum growth_rule rule)
{
	return rule == GROW_LEAST || rule == GROW_LEAST_FRESH;
}

static inline bool growth_is_fresh(enum growth_rule rule)
{
	return rule == GROW_FRESH || rule == GROW_LEAST_FRESH;
}

/* What a pool lacks for a request. A region of virtual memory grows by both;
 * any other is made of fresh bytes. */
struct lack {
	size_t fresh;      /* bytes to take from the driver */
	size_t moved;      /* bytes of free pages that are to move there */
	unsigned int kind; /* of a new region, for the pool itself */
};

#endif
