/* Blocks are placed in segments: a request takes the smallest free extent that
 * is large enough, which is split if enough is left; what is freed is joined
 * with its free neighbours. Small requests and large ones have segments of
 * their own. Segments that are free go back where memory is short.
 *
 * The sizes and rules are those of PyTorch's caching allocator
 * (c10/cuda/CUDACachingAllocator.cpp, version 2.4, with its defaults), written
 * anew, so that the two can be compared. */
#include "placing.h"

#define MIB ((size_t)1 << 20)

#define SMALL_MOST    (1 * MIB) /* the largest small request */
#define SMALL_SEGMENT (2 * MIB)
#define LARGE_SEGMENT (20 * MIB) /* for large requests below LARGE_LEAST */
#define LARGE_LEAST   (10 * MIB)
/* A large extent is split only if more than that is left. */
#define LARGE_REST (1 * MIB)

enum kind { SMALL, LARGE, KINDS };

struct best_fit_pool {
	struct mnm_pool pool;
	struct extents extents[KINDS];
	struct mnm_region *regions; /* linked by next */
	uint64_t served;            /* large requests; regions count by it */
};

static struct best_fit_pool *self_of(struct mnm_pool *pool)
{
	return (struct best_fit_pool *)pool;
}

static enum kind kind_of(size_t span)
{
	return span > SMALL_MOST ? LARGE : SMALL;
}

static bool best_fit_pool_open(struct mnm_pool *pool,
			       const struct mnm_pool_options *options)
{
	(void)options;
	pool->classes.unit = placing_unit(pool);
	pool->classes.kept_most = SMALL_MOST;
	return true;
}

static void best_fit_pool_close(struct mnm_pool *pool)
{
	for (int i = 0; i < KINDS; i++)
		extents_close(&self_of(pool)->extents[i]);
}

static size_t best_fit_pool_span(const struct mnm_pool *pool, size_t size,
				 size_t slack)
{
	(void)slack;
	return mnm_size_class_span(&pool->classes, size);
}

/* Makes records for all extents that there may be. Each block that comes back
 * may become one more, and so may a new region, or what is left of a split. */
static bool is_prepared(struct best_fit_pool *self, struct extents *extents)
{
	return extents_prepare(extents,
			       extents->count + self->pool.live_count + 2);
}

/* What a request takes of an extent that fits. */
static size_t span_in(const struct extent *extent, size_t span, enum kind kind)
{
	size_t rest = extent->bytes - span;

	return kind == SMALL || rest > LARGE_REST ? span : extent->bytes;
}

static enum mnm_answer best_fit_pool_place(struct mnm_pool *pool,
					   const struct mnm_request *request,
					   struct mnm_place *place)
{
	enum kind kind = kind_of(request->span);
	struct extents *extents = &self_of(pool)->extents[kind];
	struct extent *at;
	bool unready;

	if (!is_prepared(self_of(pool), extents))
		return MNM_MISS;
	at = placing_fit(extents, request, &unready);
	if (!at)
		return unready ? MNM_UNSAFE : MNM_MISS;
	*place = (struct mnm_place){.addr = at->addr,
				    .bytes = span_in(at, request->span, kind)};
	placing_take(extents, place);
	self_of(pool)->served += kind == LARGE;
	return MNM_HIT;
}

static bool best_fit_pool_add(struct mnm_pool *pool,
			      const struct mnm_place *place)
{
	struct best_fit_pool *self = self_of(pool);
	struct extents *extents = &self->extents[place->region->kind];

	if (!place->region->listed) {
		if (!is_prepared(self, extents))
			return false;
		place->region->listed = true;
		place->region->next = self->regions;
		self->regions = place->region;
	}
	place->region->since = self->served;
	placing_add(extents, place);
	return true;
}

static size_t segment_bytes(const struct mnm_pool *pool, size_t span,
			    enum mnm_growth rule)
{
	if (placing_is_least(pool, rule))
		return span;
	if (kind_of(span) == SMALL)
		return SMALL_SEGMENT;
	if (span < LARGE_LEAST && !mnm_growth_is_least(rule))
		return LARGE_SEGMENT;
	return span > SIZE_MAX - MNM_REGION_PAGE /* none has as much */
		       ? span
		       : (span + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
}

static void best_fit_pool_lacks(struct mnm_pool *pool, size_t span,
				const struct mnm_region *grows,
				enum mnm_growth rule, struct mnm_lack *lack)
{
	(void)grows;
	*lack = (struct mnm_lack){.fresh = segment_bytes(pool, span, rule),
				  .kind = kind_of(span)};
}

/* The link to the smallest free segment of at least so many bytes, or else to
 * the largest one; NULL if none is free. */
static struct mnm_region **free_segment(struct best_fit_pool *self,
					size_t bytes)
{
	struct mnm_region **best = NULL;

	for (struct mnm_region **at = &self->regions; *at; at = &(*at)->next) {
		if (!placing_is_free(&self->extents[(*at)->kind], *at))
			continue;
		if (!best || ((*at)->bytes >= bytes
				      ? (*best)->bytes < bytes ||
						(*at)->bytes < (*best)->bytes
				      : (*at)->bytes > (*best)->bytes &&
						(*best)->bytes < bytes))
			best = at;
	}
	return best;
}

/* Hands over a segment that is free. */
static void segment_part(struct best_fit_pool *self, struct mnm_region **link,
			 struct mnm_place *place)
{
	struct mnm_region *region = *link;

	*link = region->next;
	region->listed = false;
	*place = (struct mnm_place){
		.region = region, .addr = region->base, .bytes = region->bytes};
	placing_take(&self->extents[region->kind], place);
}

static void settle(struct best_fit_pool *self)
{
	for (int i = 0; i < KINDS; i++)
		extents_settle(&self->extents[i], UINT64_MAX);
}

static bool best_fit_pool_part(struct mnm_pool *pool, size_t bytes, bool moves,
			       struct mnm_place *place)
{
	struct best_fit_pool *self = self_of(pool);
	struct mnm_region **link;

	(void)moves; /* its regions do not grow */
	settle(self);
	link = free_segment(self, bytes);
	if (link)
		segment_part(self, link, place);
	return link;
}

/* As many large requests as a segment has been free for, and one more; 0 if it
 * is not to go for its age. PyTorch lets small segments stay. */
static uint64_t age_of(const struct best_fit_pool *self,
		       const struct mnm_region *region)
{
	return region->kind == LARGE &&
			       placing_is_free(&self->extents[LARGE], region)
		       ? self->served - region->since + 1
		       : 0;
}

static uint64_t average_age(const struct best_fit_pool *self)
{
	uint64_t sum = 0, count = 0, age;

	for (const struct mnm_region *at = self->regions; at; at = at->next) {
		age = age_of(self, at);
		sum += age;
		count += age > 0;
	}
	return count ? sum / count : UINT64_MAX;
}

static bool best_fit_pool_part_aged(struct mnm_pool *pool, uint64_t *age,
				    struct mnm_place *place)
{
	struct best_fit_pool *self = self_of(pool);
	struct mnm_region **link = &self->regions;

	settle(self);
	*age = *age ? *age : average_age(self);
	while (*link && age_of(self, *link) < *age)
		link = &(*link)->next;
	if (!*link)
		return false;
	segment_part(self, link, place);
	return true;
}

const struct mnm_pool_ops best_fit_pool = {
	.name = "best_fit_pool",
	.size = sizeof(struct best_fit_pool),
	.open = best_fit_pool_open,
	.close = best_fit_pool_close,
	.span = best_fit_pool_span,
	.place = best_fit_pool_place,
	.add = best_fit_pool_add,
	.lacks = best_fit_pool_lacks,
	.part = best_fit_pool_part,
	.part_aged = best_fit_pool_part_aged,
};
