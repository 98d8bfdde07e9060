/* A plug-in whose pools serve well for some calls, and then do what
 * MNM_TEST_SIN says. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

enum { UNIT = 4096, GOOD_CALLS = 20 };

static int calls;

/* Whether the sin of that name is to be done at all. */
static bool is_sinner(const char *name)
{
	const char *wanted = getenv("MNM_TEST_SIN");

	return wanted && !strcmp(wanted, name);
}

/* Whether the sin of that name is to be done now. */
static bool sins(const char *name)
{
	return is_sinner(name) && ++calls > GOOD_CALLS;
}

/* One that is stuck computes, as a pool does. */
static void stay(void)
{
	for (volatile unsigned long turns = 0;;)
		turns = turns + 1;
}

struct evil_pool {
	struct mnm_pool pool; /* has to be first */
	struct mnm_block *idle;
	struct mnm_block *last; /* that it has handed out */
};

static struct evil_pool *self_of(struct mnm_pool *pool)
{
	return (struct evil_pool *)pool;
}

static bool evil_open(struct mnm_pool *pool,
		      const struct mnm_pool_options *options)
{
	(void)options;
	if (is_sinner("bad_headroom"))
		pool->headroom = 101;
	return !is_sinner("never_opens");
}

static size_t evil_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)pool, (void)slack;
	if (sins("small_span"))
		return size / 2;
	return (size + UNIT - 1) & -(size_t)UNIT;
}

static enum mnm_answer evil_alloc(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_block **block)
{
	struct evil_pool *self = self_of(pool);
	struct mnm_block **link = &self->idle;
	bool any_span = sins("wrong_span"), unready = sins("not_ready");

	if (sins("stuck_alloc"))
		stay();
	if (self->last && sins("twice")) {
		*block = self->last;
		return MNM_HIT;
	}
	if (sins("strange_block")) {
		*block = (struct mnm_block *)(void *)pool;
		return MNM_HIT;
	}
	if (sins("strange_answer"))
		return (enum mnm_answer)99;
	while (*link && !((any_span || (*link)->span == request->span) &&
			  (unready || mnm_block_is_ready(*link, request))))
		link = &(*link)->next;
	if (!*link)
		return self->idle ? MNM_UNSAFE : MNM_MISS;
	*block = self->last = *link;
	*link = (*link)->next;
	return MNM_HIT;
}

static bool evil_free(struct mnm_pool *pool, struct mnm_block *block)
{
	if (sins("stuck_free"))
		stay();
	if (sins("changed_record"))
		block->epoch = 1;
	block->next = self_of(pool)->idle;
	self_of(pool)->idle = block;
	return true;
}

static struct mnm_block *evil_trim(struct mnm_pool *pool, size_t bytes)
{
	struct mnm_block *list = self_of(pool)->idle;

	(void)bytes;
	self_of(pool)->idle = NULL;
	calls = GOOD_CALLS;
	if (list && sins("stuck_trim"))
		stay();
	if (list && sins("cycle"))
		list->next = list;
	if (list && sins("kept_back"))
		list = NULL;
	return list;
}

/* Regions of 32 MiB that are filled once, from the first byte to the last. */
struct evil_places {
	struct mnm_pool pool; /* has to be first */
	struct mnm_region *region;
	uint64_t used;
};

static struct evil_places *places_of(struct mnm_pool *pool)
{
	return (struct evil_places *)pool;
}

static enum mnm_answer evil_place(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_place *place)
{
	struct evil_places *self = places_of(pool);
	struct mnm_region *region = self->region;

	if (!region || request->span > region->bytes - self->used)
		return MNM_MISS;
	*place = (struct mnm_place){.region = region,
				    .addr = region->base + self->used,
				    .bytes = request->span};
	if (sins("outside"))
		place->addr = region->base + region->bytes;
	if (sins("overlap"))
		place->addr -= request->span;
	if (sins("too_small"))
		place->bytes /= 2;
	if (sins("stuck_place"))
		stay();
	if (sins("in_vain"))
		return MNM_MISS;
	self->used += request->span;
	return MNM_HIT;
}

static bool evil_add(struct mnm_pool *pool, const struct mnm_place *place)
{
	if (place->epoch != MNM_EPOCH_NEVER)
		return !sins("refused_free");
	places_of(pool)->region = place->region;
	places_of(pool)->used = 0;
	return true;
}

static void evil_lacks(struct mnm_pool *pool, size_t span,
		       const struct mnm_region *grows, enum mnm_growth rule,
		       struct mnm_lack *lack)
{
	size_t least = (size_t)32 << 20;

	(void)pool, (void)grows;
	if (span < least && !mnm_growth_is_least(rule))
		span = least;
	lack->fresh = (span + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
	if (is_sinner("lacks_nothing"))
		lack->fresh = 0;
}

static bool evil_part(struct mnm_pool *pool, size_t bytes, bool moves,
		      struct mnm_place *place)
{
	struct evil_places *self = places_of(pool);

	(void)bytes, (void)moves;
	calls = GOOD_CALLS;
	if (!self->region || (self->used && !sins("part_of_live")))
		return false;
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->region->base,
				    .bytes = self->region->bytes};
	self->region = NULL;
	return true;
}

/* A region that grows is filled once as well, and never given back. */
static bool growing_add(struct mnm_pool *pool, const struct mnm_place *place)
{
	struct evil_places *self = places_of(pool);

	if (place->epoch != MNM_EPOCH_NEVER)
		return true;
	if (is_sinner("refused_growth") ||
	    (is_sinner("refused_once") && !calls++))
		return false;
	if (self->region != place->region)
		self->used = place->addr - place->region->base;
	self->region = place->region;
	return true;
}

static void growing_lacks(struct mnm_pool *pool, size_t span,
			  const struct mnm_region *grows, enum mnm_growth rule,
			  struct mnm_lack *lack)
{
	(void)pool, (void)grows, (void)rule;
	lack->fresh = (span + MNM_REGION_PAGE - 1) & ~(MNM_REGION_PAGE - 1);
}

static bool growing_part(struct mnm_pool *pool, size_t bytes, bool moves,
			 struct mnm_place *place)
{
	(void)pool, (void)bytes, (void)moves, (void)place;
	return false;
}

/* Of a pool that keeps nothing. */
static bool nothing_open(struct mnm_pool *pool,
			 const struct mnm_pool_options *options)
{
	(void)options;
	pool->classes.unit = is_sinner("odd_classes") ? UNIT : 0;
	return true;
}

static size_t evil_size(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)pool, (void)slack;
	return is_sinner("odd_size") ? size + UNIT : size;
}

static const struct mnm_pool_ops nothing = {
	.name = "evil_nothing",
	.size = sizeof(struct mnm_pool),
	.open = nothing_open,
	.span = evil_size,
};

static const struct mnm_pool_ops whole = {
	.name = "evil_pool",
	.size = sizeof(struct evil_pool),
	.open = evil_open,
	.span = evil_span,
	.alloc = evil_alloc,
	.free = evil_free,
	.trim = evil_trim,
};

static const struct mnm_pool_ops places = {
	.name = "evil_places",
	.size = sizeof(struct evil_places),
	.span = evil_span,
	.place = evil_place,
	.add = evil_add,
	.lacks = evil_lacks,
	.part = evil_part,
};

static const struct mnm_pool_ops growing = {
	.name = "evil_growing",
	.size = sizeof(struct evil_places),
	.span = evil_span,
	.place = evil_place,
	.add = growing_add,
	.lacks = growing_lacks,
	.part = growing_part,
	.grows = true,
};

static const struct mnm_pool_row rows[] = {
	ROW(whole, "answers wrongly", MNM_BACKING_NONE),
	ROW(places, "places wrongly", MNM_BACKING_DEVICE),
	ROW(nothing, "keeps nothing, wrongly", MNM_BACKING_NONE),
	ROW(growing, "grows wrongly", MNM_BACKING_VIRTUAL)};

PLUGIN(MNM_POOL_VERSION, 4, rows);
