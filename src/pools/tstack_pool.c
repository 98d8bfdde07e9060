/* Blocks are placed where a plan says, which is made of what the program has
 * repeated. What no plan has a place for is another pool's, the base pool, in
 * whose regions the plan's addresses are as well: so memory goes from one to
 * the other without the driver. */
#include <stdlib.h>

#include "placing.h"
#include "tstack.h"
#include "tstack_templates.h"
#include "tstack_window.h"
#include "vmm_pool.h"

/* A request's pages come so many times; mnm asks twice more at least. */
enum { NEEDED_MOST = 6 };

static const struct mnm_pool_ops *const base_ops = &vmm_pool;

void tstack_tell(struct tstack_pool *self)
{
	struct mnm_pool *base = self->base;

	base->live_count = self->pool.live_count + 1; /* the arena */
	base->live_span = tstack_live(self);
	base->region_bytes = self->pool.region_bytes;
	base->apart = self->pool.apart;
	base->growing = self->pool.growing;
}

static bool tstack_pool_open(struct mnm_pool *pool,
			     const struct mnm_pool_options *options)
{
	struct tstack_pool *self = tstack_of(pool);

	self->base = calloc(1, base_ops->size);
	if (!self->base)
		return false;
	self->base->ops = base_ops;
	self->base->backing = pool->backing;
	if (!base_ops->open || base_ops->open(self->base, options)) {
		/* Without memory it serves as the base pool does. */
		if (!tstack_learn(self))
			pool->classes = self->base->classes;
		tstack_load(self);
		pool->headroom = self->base->headroom;
		vmm_pool_hold(self->base);
		self->course.arena = &self->arena;
		if (mnm_size_classes_are_linear(&self->base->classes))
			self->course.unit = self->base->classes.unit;
		return true;
	}
	free(self->base);
	return false;
}

static void tstack_pool_close(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);

	tstack_pool_course_end(pool);
	tstack_end(self);
	arena_close(&self->arena);
	free(self->backed);
	tstack_window_end(self);
	if (self->base->ops->close)
		self->base->ops->close(self->base);
	free(self->base);
}

static size_t tstack_pool_span(const struct mnm_pool *pool, size_t size,
			       size_t slack)
{
	const struct mnm_pool *base = ((const struct tstack_pool *)pool)->base;

	return base->ops->span(base, size, slack);
}

/* A request for which the base pool has grown is its own, whatever others ask
 * for meanwhile. If there are too many, the oldest is forgotten. */
static void skip_note(struct tstack_pool *self, size_t span)
{
	self->skips[self->skipping++ % TSTACK_SKIPS] = span;
}

static size_t *skip_find(struct tstack_pool *self, size_t span)
{
	for (int i = 0; self->skipping && i < TSTACK_SKIPS; i++)
		if (self->skips[i] == span)
			return &self->skips[i];
	return NULL;
}

static void skip_end(struct tstack_pool *self, size_t *skip)
{
	*skip = 0;
	for (int i = 0; i < TSTACK_SKIPS; i++)
		if (self->skips[i])
			return;
	self->skipping = 0;
}

/* Notes how a request was answered for which the plan has a place. */
static void ready_note(struct tstack_pool *self, enum mnm_answer answer,
		       const struct mnm_request *request)
{
	if (answer == MNM_HIT && self->unready == request->span &&
	    self->unready_safe < request->safe)
		self->fenceless = false; /* there was a fence since */
	self->unready = answer == MNM_UNSAFE ? request->span : 0;
	self->unready_safe = request->safe;
}

static enum mnm_answer tstack_pool_place(struct mnm_pool *pool,
					 const struct mnm_request *request,
					 struct mnm_place *place)
{
	struct tstack_pool *self = tstack_of(pool);
	enum mnm_answer answer = MNM_MISS;
	size_t *skip = skip_find(self, request->span);
	bool keeps = self->kept < self->beginning.kept_count &&
		     tstack_keeps(self, request);
	unsigned int turns;
	bool unready;

	tstack_catch_up(self);
	turns = self->course.turns;
	self->course.turns = 0;
	/* An arena gets pages only while its region grows. */
	if (self->unbacked && self->region != self->pool.growing &&
	    tstack_arena_end(self))
		tstack_yield(self);
	if (self->wanted && !tstack_arena_make(self)) {
		if (!self->growing)
			return MNM_MISS; /* the region grows, see lacks */
		tstack_yield(self);
	}
	self->growing = false;
	self->needs = false;
	if (!skip && !keeps)
		answer = tstack_follow(self, request, place);
	else if (self->replay && !keeps) /* others may have asked since */
		tstack_ask(self, request);
	if (self->needs)
		return MNM_MISS;
	if (answer == MNM_HIT &&
	    tstack_served(self, request, place, TSTACK_PLACED) &&
	    tstack_is_settled(self))
		self->course.turns = turns + 1;
	ready_note(self, answer, request);
	unready = answer == MNM_UNSAFE;
	if (answer == MNM_HIT || (unready && !self->fenceless))
		return answer;
	tstack_tell(self);
	answer = self->base->ops->place(self->base, request, place);
	if (answer == MNM_MISS && unready)
		return MNM_UNSAFE;
	if (answer == MNM_MISS && !skip && !keeps)
		answer = tstack_stray(self, request, place);
	/* What a plan has that is not followed serves others. */
	if (answer == MNM_MISS && self->region && !keeps &&
	    tstack_is_too_dear(self, request->span)) {
		tstack_tell(self);
		answer = self->base->ops->place(self->base, request, place);
	}
	if (skip) /* or it is noted again as the base pool grows once more */
		skip_end(self, skip);
	if (answer == MNM_HIT)
		tstack_served(self, request, place,
			      keeps ? TSTACK_KEPT : TSTACK_OTHER);
	return answer;
}

static bool tstack_pool_add(struct mnm_pool *pool,
			    const struct mnm_place *place)
{
	struct tstack_pool *self = tstack_of(pool);

	tstack_freed(self, place->addr);
	if (tstack_arena_free(self, place) || tstack_arena_add(self, place))
		return true;
	tstack_tell(self);
	return self->base->ops->add(self->base, place);
}

/* If the plan needs memory, the region grows by that, unless it has to be
 * fresh. The request is not the plan's if it has to grow once more, or too
 * often. */
static void tstack_pool_lacks(struct mnm_pool *pool, size_t span,
			      const struct mnm_region *grows,
			      enum mnm_growth rule, struct mnm_lack *lack)
{
	struct tstack_pool *self = tstack_of(pool);
	bool freely = rule == MNM_GROW_FREELY;

	if (self->needs && self->need_span == span && grows &&
	    grows == self->region && !mnm_growth_is_fresh(rule) &&
	    (freely || self->need_bytes <= span + MNM_REGION_PAGE) &&
	    self->needed < NEEDED_MOST) {
		tstack_arena_lacks(self, grows, lack);
		return;
	}
	self->needs = false;
	self->fenceless |= self->unready == span;
	self->growing = self->wanted;
	if (self->wanted >= span && freely)
		span = self->wanted;
	else
		skip_note(self, span);
	tstack_tell(self);
	self->base->ops->lacks(self->base, span, grows, rule, lack);
}

size_t tstack_pool_sheds(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);

	self->sheds = self->surplus;
	self->surplus = 0;
	return self->sheds;
}

static void shed_note(struct tstack_pool *self, size_t bytes)
{
	self->sheds -= bytes < self->sheds ? bytes : self->sheds;
}

static bool tstack_pool_part(struct mnm_pool *pool, size_t bytes, bool moves,
			     struct mnm_place *place)
{
	struct tstack_pool *self = tstack_of(pool);

	if (!moves)
		tstack_catch_up(self);
	tstack_tell(self);
	if (self->base->ops->part(self->base, bytes, moves, place)) {
		if (!moves)
			shed_note(self, place->bytes);
		return true;
	}
	if (!moves && self->sheds) {
		self->sheds = 0;
		return false;
	}
	if (!moves && tstack_window_take(self, bytes, place))
		return true;
	if (moves || !self->region || !tstack_arena_end(self))
		return false;
	tstack_yield(self);
	tstack_tell(self);
	return self->base->ops->part(self->base, bytes, moves, place);
}

const struct mnm_pool_ops tstack_pool = {
	.name = "tstack_pool",
	.size = sizeof(struct tstack_pool),
	.open = tstack_pool_open,
	.close = tstack_pool_close,
	.span = tstack_pool_span,
	.place = tstack_pool_place,
	.add = tstack_pool_add,
	.lacks = tstack_pool_lacks,
	.part = tstack_pool_part,
	.grows = true,
};
