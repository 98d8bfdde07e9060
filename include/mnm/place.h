/* What a pool that places its blocks is given: regions, and free bytes in them.
 * All sizes are in bytes. */
#ifndef MNM_PLACE_H
#define MNM_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Physical memory of a device comes in whole pages. A region's size is a
 * multiple, but where it is of pinned memory. */
#define MNM_REGION_PAGE ((size_t)2 << 20)

/* The host's pages: no two blocks of pinned memory share one, as a program may
 * lock or advise its memory by pages. */
#define MNM_HOST_PAGE ((size_t)4096)

/* What regions are made of. */
enum mnm_backing {
	MNM_BACKING_NONE,    /* the pool has no regions */
	MNM_BACKING_DEVICE,  /* each region is an allocation of the driver's */
	MNM_BACKING_VIRTUAL, /* addresses with physical pages behind them */
	MNM_BACKING_MANAGED, /* managed memory that prefers the device */
	MNM_BACKING_HOST,    /* pinned memory; nothing else is made of that */
};

/* Memory that a pool has taken to place blocks in. */
struct mnm_region {
	uint64_t base; /* its address, a multiple of MNM_SPAN_UNIT */
	size_t bytes;  /* from base on */
	/* Whether it grows at its end, and parts of it, in whole pages, can go
	 * back by themselves, or move there. Else it goes back whole. */
	bool grows;
	/* The rest is for the pool's own use. A region begins as lack->kind
	 * says, and not listed. */
	bool listed;
	unsigned int kind;
	uint64_t since; /* by the pool's own count of requests */
	struct mnm_region *next;
};

/* Some bytes of a region. */
struct mnm_place {
	struct mnm_region *region;
	uint64_t addr;
	size_t bytes;
	/* As in a block that was freed: when they may be used again. */
	uint64_t epoch;
	unsigned int stream;
};

/* How a pool is to grow. */
enum mnm_growth {
	MNM_GROW_FREELY,
	MNM_GROW_LEAST, /* memory is short: by no more bytes than needed */
	MNM_GROW_FRESH, /* by fresh bytes alone: others may not be used by now
			 */
	MNM_GROW_LEAST_FRESH, /* both */
};

static inline bool mnm_growth_is_least(enum mnm_growth rule)
{
	return rule == MNM_GROW_LEAST || rule == MNM_GROW_LEAST_FRESH;
}

static inline bool mnm_growth_is_fresh(enum mnm_growth rule)
{
	return rule == MNM_GROW_FRESH || rule == MNM_GROW_LEAST_FRESH;
}

/* What a pool lacks for a request. A region of virtual memory grows by both;
 * any other is made of fresh bytes. */
struct mnm_lack {
	size_t fresh;      /* bytes to take from the driver */
	size_t moved;      /* bytes of free pages that are to move there */
	unsigned int kind; /* of a new region, for the pool itself */
	/* For a region that grows. First it takes so many bytes of addresses at
	 * its end, which have no memory; whole pages. Then it grows at this
	 * address, which has none and has had none, instead of at its end; 0:
	 * at its end. */
	size_t ahead;
	uint64_t at;
};

#endif
