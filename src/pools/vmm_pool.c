/* Blocks are placed by best fit in a range of addresses that has physical pages
 * behind it, and grows at its end. If no free extent is large enough, free
 * pages move there from wherever they lie, so that free memory never lies apart
 * for want of a place: a request gets whatever whole pages are free. */
#include "placing.h"
#include "vmm_pool.h"

enum { PERCENT = 100 };

/* Each page that moves costs the driver some 25 us on an H200, again and again
 * where a job lacks a little room. So each time that one part in MOVED_SHARE of
 * what is live at most has moved, one percent more of that is spared, up to
 * SPARE_MORE percent beyond the option. */
enum { SPARE_MORE = 7, MOVED_SHARE = 8 };

struct vmm_pool {
	struct mnm_pool pool;
	struct extents extents;
	struct mnm_region *whole; /* that do not grow, linked by next */
	size_t peak;  /* the most that was live when memory was missing */
	size_t spare; /* percent of that */
	size_t spare_most;
	size_t moved; /* bytes, since there was last more to spare */
};

static struct vmm_pool *self_of(struct mnm_pool *pool)
{
	return (struct vmm_pool *)pool;
}

static bool vmm_pool_open(struct mnm_pool *pool,
			  const struct mnm_pool_options *options)
{
	pool->classes.unit = placing_unit(pool);
	self_of(pool)->spare = options->vmm_spare;
	self_of(pool)->spare_most =
		options->vmm_spare ? options->vmm_spare + SPARE_MORE : 0;
	return true;
}

void vmm_pool_hold(struct mnm_pool *pool)
{
	self_of(pool)->spare_most = self_of(pool)->spare;
}

static void vmm_pool_close(struct mnm_pool *pool)
{
	extents_close(&self_of(pool)->extents);
}

static size_t vmm_pool_span(const struct mnm_pool *pool, size_t size,
			    size_t slack)
{
	(void)slack;
	return mnm_size_class_span(&pool->classes, size);
}

/* Makes records for all extents that there may be: of blocks and of parts that
 * come back, and of what is left of a split on both sides. */
static bool is_prepared(struct vmm_pool *self)
{
	return extents_prepare(&self->extents, self->extents.count +
						       self->pool.live_count +
						       self->pool.apart + 3);
}

/* The bytes of whole pages between two addresses. */
static size_t whole_pages(uint64_t begin, uint64_t end)
{
	begin = (begin + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
	end &= ~(MNM_REGION_PAGE - 1);
	return end > begin ? end - begin : 0;
}

static size_t pages_touched(uint64_t begin, size_t span)
{
	return (begin + span - 1) / MNM_REGION_PAGE - begin / MNM_REGION_PAGE +
	       1;
}

/* Where in an extent a block is placed: at the end that leaves more whole
 * pages, which can move; or else where it shares fewer pages with others. */
static uint64_t place_in(const struct extent *extent, size_t span)
{
	uint64_t begin = extent->addr, end = begin + extent->bytes;
	uint64_t last = end - span;
	size_t front = whole_pages(begin + span, end);
	size_t back = whole_pages(begin, last);

	if (front != back)
		return front > back ? begin : last;
	return pages_touched(last, span) < pages_touched(begin, span) ? last
								      : begin;
}

static enum mnm_answer vmm_pool_place(struct mnm_pool *pool,
				      const struct mnm_request *request,
				      struct mnm_place *place)
{
	struct vmm_pool *self = self_of(pool);
	struct extent *at;
	bool unready;

	if (!is_prepared(self))
		return MNM_MISS;
	at = placing_fit(&self->extents, request, &unready);
	if (!at)
		return unready ? MNM_UNSAFE : MNM_MISS;
	*place = (struct mnm_place){.addr = place_in(at, request->span),
				    .bytes = request->span};
	placing_take(&self->extents, place);
	return MNM_HIT;
}

/* A region that does not grow: one that is not of virtual memory. */
static void whole_add(struct vmm_pool *self, struct mnm_region *region)
{
	region->listed = true;
	region->next = self->whole;
	self->whole = region;
}

static bool vmm_pool_add(struct mnm_pool *pool, const struct mnm_place *place)
{
	if (!is_prepared(self_of(pool)))
		return false;
	if (!place->region->grows && !place->region->listed)
		whole_add(self_of(pool), place->region);
	placing_add(&self_of(pool)->extents, place);
	return true;
}

/* None has as many bytes as can't be rounded up. */
static size_t pages_up(size_t bytes)
{
	if (bytes > SIZE_MAX - MNM_REGION_PAGE)
		return bytes;
	return (bytes + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
}

/* The whole pages of an extent, from the last one on, up to so many bytes. */
static struct mnm_place pages_of(const struct extent *extent, size_t bytes)
{
	uint64_t begin = pages_up(extent->addr);
	uint64_t end = (extent->addr + extent->bytes) & ~(MNM_REGION_PAGE - 1);
	struct mnm_place place = {.addr = begin};

	if (end <= begin)
		return place;
	place.bytes = end - begin;
	if (place.bytes > pages_up(bytes))
		place.bytes = pages_up(bytes);
	place.addr = end - place.bytes;
	return place;
}

/* The free extent at the end of a region, or NULL. */
static struct extent *tail_of(const struct extents *extents,
			      const struct mnm_region *region)
{
	uint64_t end = region ? region->base + region->bytes : 0;
	struct extent *tail = region ? extents_before(extents, end) : NULL;

	return tail && tail->addr + tail->bytes == end ? tail : NULL;
}

/* Whether an extent lies in the region that grows, but not at its end, where
 * its pages could only move to where they are. */
static bool can_move(const struct extents *extents,
		     const struct mnm_region *region,
		     const struct extent *extent)
{
	return region && extent->region == region &&
	       extent != tail_of(extents, region);
}

/* The bytes of free pages that can move to the end of a region. */
static size_t movable(const struct extents *extents,
		      const struct mnm_region *region)
{
	size_t bytes = 0;

	for (const struct extent *at = extents_fit(extents, MNM_REGION_PAGE);
	     at; at = extents_larger(extents, at))
		if (can_move(extents, region, at))
			bytes += pages_of(at, SIZE_MAX / 2).bytes;
	return bytes;
}

/* How many bytes at the end of a region are free, if these are not enough. */
static size_t tail_bytes(const struct vmm_pool *self,
			 const struct mnm_region *region, size_t span)
{
	const struct extent *tail = tail_of(&self->extents, region);

	return tail && tail->bytes < span
		       ? whole_pages(tail->addr, tail->addr + tail->bytes)
		       : 0;
}

/* How many bytes of pages there may be before free ones move. */
static size_t pages_most(const struct vmm_pool *self)
{
	return self->peak + self->peak / PERCENT * self->spare;
}

static void moved_note(struct vmm_pool *self, size_t bytes)
{
	self->moved += bytes;
	if (self->moved < self->peak / MOVED_SHARE)
		return;
	self->moved = 0;
	if (self->spare < self->spare_most)
		self->spare++;
}

static void vmm_pool_lacks(struct mnm_pool *pool, size_t span,
			   const struct mnm_region *grows, enum mnm_growth rule,
			   struct mnm_lack *lack)
{
	struct vmm_pool *self = self_of(pool);
	/* Where memory is short, what is free at the end may have gone back by
	 * the time that the region has grown. */
	size_t at_end =
		rule == MNM_GROW_FREELY ? tail_bytes(self, grows, span) : 0;
	size_t needed =
		placing_is_least(pool, rule) ? span : pages_up(span - at_end);
	size_t free_pages;

	if (self->peak < pool->live_span + span)
		self->peak = pool->live_span + span;
	*lack = (struct mnm_lack){.fresh = needed};
	if (mnm_growth_is_fresh(rule) ||
	    (rule == MNM_GROW_FREELY &&
	     pool->region_bytes + needed <= pages_most(self)))
		return;
	free_pages = movable(&self->extents, grows);
	lack->moved = free_pages < needed ? free_pages : needed;
	lack->fresh -= lack->moved;
	moved_note(self, lack->moved);
}

/* What moves comes from the smallest extents, so that the large ones stay; what
 * goes back comes from the largest, so that few calls do. */
static const struct extent *extent_to_part(const struct vmm_pool *self,
					   bool moves)
{
	const struct extents *extents = &self->extents;
	const struct extent *found = NULL, *at;

	for (at = extents_fit(extents, MNM_REGION_PAGE);
	     at && !(moves && found); at = extents_larger(extents, at)) {
		if (!pages_of(at, MNM_REGION_PAGE).bytes)
			continue;
		if (moves ? can_move(extents, self->pool.growing, at)
			  : at->region->grows)
			found = at;
	}
	return found;
}

/* Hands over a region that does not grow and is all free. */
static bool whole_part(struct vmm_pool *self, struct mnm_place *place)
{
	struct mnm_region **link = &self->whole, *region;

	while (*link && !placing_is_free(&self->extents, *link))
		link = &(*link)->next;
	region = *link;
	if (!region)
		return false;
	*link = region->next;
	region->listed = false;
	*place = (struct mnm_place){.addr = region->base,
				    .bytes = region->bytes};
	placing_take(&self->extents, place);
	return true;
}

static bool vmm_pool_part(struct mnm_pool *pool, size_t bytes, bool moves,
			  struct mnm_place *place)
{
	struct vmm_pool *self = self_of(pool);
	const struct extent *at;

	if (!is_prepared(self))
		return false;
	if (!moves)
		extents_settle(&self->extents, UINT64_MAX);
	if (!moves && whole_part(self, place))
		return true;
	at = extent_to_part(self, moves);
	if (!at)
		return false;
	*place = pages_of(at, bytes < SIZE_MAX / 2 ? bytes : SIZE_MAX / 2);
	placing_take(&self->extents, place);
	return true;
}

const struct mnm_pool_ops vmm_pool = {
	.name = "vmm_pool",
	.size = sizeof(struct vmm_pool),
	.open = vmm_pool_open,
	.close = vmm_pool_close,
	.span = vmm_pool_span,
	.place = vmm_pool_place,
	.add = vmm_pool_add,
	.lacks = vmm_pool_lacks,
	.part = vmm_pool_part,
	.grows = true,
};
