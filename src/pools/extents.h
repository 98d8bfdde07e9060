/* Extents: stretches of free bytes in regions, for pools that place their
 * blocks. Neighbours in a region are joined, unless only one of them may be
 * used by now: then both would have to wait. An extent is found by its size,
 * the smallest that fits first, or by its address.
 *
 * Each is in two treaps (extent_tree.h): in one by its address, and by its size
 * in one of two, so that those which nobody has to wait for are found among
 * however many others. */
#ifndef MNM_EXTENTS_H
#define MNM_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mnm_region;

/* Whether all may use an extent, or at most requests that follow what was done
 * with it. */
enum extent_state { EXTENT_SETTLED, EXTENT_OPEN };

/* The trees: by size those of either state, and by address all. */
enum { EXTENT_BY_ADDRESS = 2, EXTENT_TREES };

struct extent {
	uint64_t addr;
	size_t bytes;
	struct mnm_region *region; /* that it lies in */
	/* The latest epoch of all that was freed here, 0 if none of it ever was
	 * another's; and the stream in whose order all of it was freed, or 0 if
	 * that is none, or several. */
	uint64_t epoch;
	unsigned int stream;
	enum extent_state state;
	uint32_t priority;
	struct extent *by_size[2], *by_address[2]; /* those before and after */
};

struct extents {
	struct extent *root[EXTENT_TREES];
	size_t bytes, count;
	uint64_t settled;     /* extents of epochs below are settled */
	uint64_t fresh;       /* where nobody's bytes were added last; or 0 */
	struct extent *spare; /* records, linked by by_size[0] */
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

/* All may use what was freed in epochs below, and nothing else. */
void extents_settle(struct extents *extents, uint64_t epoch);

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

/* The same among those of one state. */
struct extent *extents_fit_of(const struct extents *extents,
			      enum extent_state state, size_t bytes);
struct extent *extents_larger_of(const struct extents *extents,
				 enum extent_state state,
				 const struct extent *extent);

/* The one that comes first in that order; either may be NULL. */
struct extent *extent_smaller(struct extent *one, struct extent *other);

/* The first extent that begins at that address or after it; the last one that
 * begins before it. NULL if there is none. */
struct extent *extents_from(const struct extents *extents, uint64_t addr);
struct extent *extents_before(const struct extents *extents, uint64_t addr);

#endif
