/* Extents: stretches of free bytes in regions, for pools that place their
 * blocks. Neighbours in a region are joined, unless only one of them may be
 * used by now: then both would have to wait. An extent is found by its size,
 * the smallest that fits first, or by its address.
 *
 * Two treaps (Seidel and Aragon, Randomized Search Trees, 1996) hold the same
 * records, one by size and one by address. Each operation takes about 2 log2 n
 * steps for n extents. */
#ifndef MNM_EXTENTS_H
#define MNM_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum extent_order { EXTENT_BY_SIZE, EXTENT_BY_ADDRESS, EXTENT_ORDERS };

struct region;

struct extent {
	uint64_t addr;
	size_t bytes;
	struct region *region; /* that it lies in */
	/* The latest epoch of all that was freed here, 0 if none of it ever was
	 * another's; and the stream in whose order all of it was freed, or 0 if
	 * that is none, or several. */
	uint64_t epoch;
	unsigned int stream;
	uint32_t priority;
	struct extent *child[EXTENT_ORDERS][2];
};

struct extents {
	struct extent *root[EXTENT_ORDERS];
	size_t bytes, count;
	uint64_t settled;     /* below this epoch, all may be used */
	struct extent *spare; /* records, linked by child[0][0] */
	size_t spares;
	struct extent_slab *slabs;
	uint32_t random;
};

/* Makes records for so many extents in all. As many as there are blocks and
 * regions, and one more, are always enough. Returns false without memory. */
bool extents_prepare(struct extents *extents, size_t most);

/* Drops all extents and their records. */
void extents_close(struct extents *extents);

/* Bytes that are in no extent are free now. There has to be a record for one
 * extent more. */
void extents_add(struct extents *extents, const struct extent *fresh);

/* What was freed in epochs below may be used. Returns whether extents have been
 * joined. */
bool extents_settle(struct extents *extents, uint64_t epoch);

/* Takes bytes out of an extent that has them. There has to be a record for one
 * extent more if bytes are left on both sides. */
void extents_cut(struct extents *extents, struct extent *extent, uint64_t addr,
		 size_t bytes);

/* Whether there would be an extent of so many bytes if all neighbours were
 * joined. */
bool extents_would_fit(const struct extents *extents, size_t bytes);

/* The smallest extent of at least so many bytes, the one at the least address
 * if there are several; or NULL. */
struct extent *extents_fit(const struct extents *extents, size_t bytes);

/* The next one after it in that order, or NULL. */
struct extent *extents_larger(const struct extents *extents,
			      const struct extent *extent);

/* The first extent that begins at that address or after it; the last one that
 * begins before it. NULL if there is none. */
struct extent *extents_from(const struct extents *extents, uint64_t addr);
struct extent *extents_before(const struct extents *extents, uint64_t addr);

#endif
