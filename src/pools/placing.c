#include "placing.h"

enum {
	PASSED_MOST = 16, /* extents that are not ready, of each state */
	UNIT = 512,       /* PyTorch's */
};

size_t placing_unit(const struct mnm_pool *pool)
{
	return pool->backing == MNM_BACKING_HOST ? MNM_HOST_PAGE : UNIT;
}

bool placing_is_least(const struct mnm_pool *pool, enum mnm_growth rule)
{
	return pool->backing == MNM_BACKING_HOST && mnm_growth_is_least(rule);
}

/* The smallest extent of that state that fits and is ready. */
static struct extent *first_of(const struct extents *extents,
			       enum extent_state state,
			       const struct mnm_request *request, bool *unready)
{
	struct extent *at = extents_fit_of(extents, state, request->span);

	for (int i = 0; at && i < PASSED_MOST; i++) {
		if (at->epoch == MNM_EPOCH_NEVER ||
		    mnm_request_is_behind(request, at->stream, at->epoch))
			return at;
		*unready = true;
		at = extents_larger_of(extents, state, at);
	}
	return NULL;
}

static struct extent *first_ready(const struct extents *extents,
				  const struct mnm_request *request,
				  bool *unready)
{
	*unready = false;
	return extent_smaller(
		first_of(extents, EXTENT_SETTLED, request, unready),
		first_of(extents, EXTENT_OPEN, request, unready));
}

/* The extent that was added last of bytes that nobody had, if it fits. A pool
 * has grown by it for a request that found nothing ready, and there may be many
 * that come before it. */
static struct extent *fresh_one(const struct extents *extents,
				const struct mnm_request *request)
{
	struct extent *at = extents_before(extents, extents->fresh + 1);

	return at && at->addr + at->bytes > extents->fresh &&
			       at->epoch == MNM_EPOCH_NEVER &&
			       at->bytes >= request->span
		       ? at
		       : NULL;
}

/* A request that has to be more careful than others finds less of what is
 * settled ready, and does not change that for them; but what is joined to be
 * given back is not ready for all. */
static bool is_settled_for(const struct extents *extents,
			   const struct mnm_request *request)
{
	return request->safe == extents->settled ||
	       (request->safe < extents->settled &&
		extents->settled != UINT64_MAX);
}

struct extent *placing_fit(struct extents *extents,
			   const struct mnm_request *request, bool *unready)
{
	struct extent *at = first_ready(extents, request, unready);

	if (!at && !is_settled_for(extents, request)) {
		extents_settle(extents, request->safe);
		at = first_ready(extents, request, unready);
	}
	if (!at)
		at = fresh_one(extents, request);
	if (!at && extents_would_fit(extents, request->span))
		*unready = true;
	return at;
}

void placing_add(struct extents *extents, const struct mnm_place *place)
{
	const struct extent fresh = {.addr = place->addr,
				     .bytes = place->bytes,
				     .region = place->region,
				     .epoch = place->epoch,
				     .stream = place->stream};

	extents_add(extents, &fresh);
	if (place->epoch == MNM_EPOCH_NEVER)
		extents->fresh = place->addr;
}

bool placing_is_free(const struct extents *extents,
		     const struct mnm_region *region)
{
	const struct extent *at = extents_from(extents, region->base);

	return at && at->addr == region->base && at->bytes == region->bytes;
}

void placing_take(struct extents *extents, struct mnm_place *place)
{
	struct extent *at = extents_before(extents, place->addr + 1);

	place->region = at->region;
	place->epoch = at->epoch;
	place->stream = at->stream;
	extents_cut(extents, at, place->addr, place->bytes);
}
