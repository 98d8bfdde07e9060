/* What pools that place blocks have in common. */
#ifndef MNM_PLACING_H
#define MNM_PLACING_H

#include <stdbool.h>

#include "extents.h"
#include <mnm/pool.h>

/* The bytes that spans are multiples of. A program may lock, advise or register
 * pinned memory by the system's pages, so no two blocks share one. */
size_t placing_unit(const struct mnm_pool *pool);

/* Whether a region is to be no larger than its one block: pinned memory is
 * short, of which CUDA gives less than a page of a device's as well. */
bool placing_is_least(const struct mnm_pool *pool, enum mnm_growth rule);

/* The smallest extent that fits the request and is ready for it, or NULL. A few
 * that are not ready are passed over; *unready says whether there were any, or
 * would be if all neighbours were joined. */
struct extent *placing_fit(struct extents *extents,
			   const struct mnm_request *request, bool *unready);

/* Adds free bytes to the extents of their region. */
void placing_add(struct extents *extents, const struct mnm_place *place);

/* Whether all bytes of a region are free. */
bool placing_is_free(const struct extents *extents,
		     const struct mnm_region *region);

/* Takes bytes that are free out of the extents: *place is given its address and
 * size, and gets the rest. */
void placing_take(struct extents *extents, struct mnm_place *place);

#endif
