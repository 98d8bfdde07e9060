/* The free bytes of regions that a pool has, as its caller knows it, and the
 * regions themselves. The pool sees a copy of each region, so that what it
 * writes there changes nothing for anybody else. */
#ifndef MNM_HELD_BYTES_H
#define MNM_HELD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

#include <mnm/place.h>
#include <mnm/pool.h>

struct extent;
struct piece_slab;

struct held_region {
	struct mnm_region seen;   /* by the pool; first */
	struct mnm_region *given; /* the key; it may be gone by now */
	uint64_t base;            /* these three are as the given one's */
	size_t bytes;
	bool grows;
	size_t free;              /* bytes of its pieces */
	struct held_region *next; /* of those that have ended */
	UT_hash_handle hh;
};

/* Pieces of free bytes, each with its own epoch and stream. */
struct held_bytes {
	struct extent
		*pieces;      /* a tree by addresses, see pools/extent_tree.h */
	struct extent *spare; /* records, linked by by_size[0] */
	size_t count, spares;
	struct piece_slab *slabs;
	uint32_t random;
	struct held_region *regions; /* a table */
	struct held_region *last;    /* that was asked for; or NULL */
	struct held_region *ended;   /* whose records are others' by now */
	size_t wholes; /* regions that only go whole, and are free */
};

void held_bytes_close(struct held_bytes *held);

/* Makes records for so many pieces in all. Returns false without memory. */
bool held_bytes_prepare(struct held_bytes *held, size_t most);

/* The region's copy, made if there is none; NULL without memory. The second
 * only looks. */
struct held_region *held_region_current(struct held_bytes *held,
					struct mnm_region *given);
struct held_region *held_region_find(struct held_bytes *held,
				     const struct mnm_region *given);

/* The region goes. */
void held_region_drop(struct held_bytes *held, struct held_region *region);

/* Notes free bytes of a region that is known. There has to be a record for a
 * piece more. */
void held_bytes_add(struct held_bytes *held, const struct mnm_place *place,
		    struct held_region *region);

/* Whether all of these bytes are free, and of one region. Then *place gets the
 * region that was given, and the epoch and stream that stand for all of them,
 * and *region is set. If request is not NULL, *ready says whether they are
 * ready for it. */
bool held_bytes_has(const struct held_bytes *held, struct mnm_place *place,
		    const struct mnm_request *request,
		    struct held_region **region, bool *ready);

/* Takes bytes that are free. There has to be a record for a piece more. */
void held_bytes_take(struct held_bytes *held, const struct mnm_place *place);

/* Takes the first piece. Returns false if there is none. */
bool held_bytes_pop(struct held_bytes *held, struct mnm_place *place);

/* Whether a region that only goes whole is all free. */
bool held_bytes_has_whole(const struct held_bytes *held);

#endif
