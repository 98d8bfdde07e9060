/* Checks of pools that place blocks in regions. */
#include <stdlib.h>

#include "inner.h"
#include "pools/vmm_pool.h"

enum { VAIN_MOST = 3, REFUSED_MOST = 2 };

void checked_keeper_close(struct checked_pool *self)
{
	if (self->keeper)
		vmm_pool.close(self->keeper);
	free(self->keeper);
}

/* What one of our own pools sees of the checked one. */
static void keeper_tell(struct checked_pool *self)
{
	struct mnm_pool *keeper = self->keeper;

	keeper->live_count = self->pool.live_count;
	keeper->live_span = self->pool.live_span;
	keeper->region_bytes = self->pool.region_bytes;
	keeper->apart = self->pool.apart;
	keeper->growing = self->pool.growing;
}

static struct mnm_pool *keeper_opened(const struct checked_pool *self)
{
	static const struct mnm_pool_options options = {
		.size = sizeof(options)};
	struct mnm_pool *keeper = calloc(1, vmm_pool.size);

	if (!keeper)
		return NULL;
	keeper->ops = &vmm_pool;
	keeper->backing = self->pool.backing;
	if (vmm_pool.open(keeper, &options))
		return keeper;
	free(keeper);
	return NULL;
}

/* The pool is off: its free bytes are kept by one of ours, which gives back
 * what can go. Returns that, or NULL without memory. */
static struct mnm_pool *keeper_of(struct checked_pool *self)
{
	struct mnm_place place;

	if (!self->keeper)
		self->keeper = keeper_opened(self);
	if (!self->keeper)
		return NULL;
	keeper_tell(self);
	while (held_bytes_pop(&self->bytes, &place))
		if (!vmm_pool.add(self->keeper, &place)) {
			held_bytes_add(
				&self->bytes, &place,
				held_region_find(&self->bytes, place.region));
			return NULL;
		}
	return self->keeper;
}

/* Records for all pieces that there may be: each live block, and each part that
 * is about to come back, may become one, and what is cut one more. */
static bool is_prepared(struct checked_pool *self)
{
	return held_bytes_prepare(&self->bytes, self->bytes.count +
							self->pool.live_count +
							self->pool.apart + 3);
}

static size_t pages_up(size_t bytes)
{
	return bytes > SIZE_MAX - MNM_REGION_PAGE
		       ? bytes
		       : (bytes + MNM_REGION_PAGE - 1) & -MNM_REGION_PAGE;
}

/* What is wrong with bytes that are to serve a request, or NULL. Then *place
 * says all that is known of them. */
static const char *place_wrong(const struct checked_pool *self,
			       const struct mnm_request *request,
			       struct mnm_place *place)
{
	const struct mnm_region *named = place->region;
	size_t unit = checked_unit(&self->pool);
	struct held_region *region;
	bool ready;

	if (place->bytes < request->span ||
	    place->bytes - request->span > MNM_REGION_PAGE)
		return "it has placed a block of another span";
	if (place->addr % MNM_SPAN_UNIT || place->bytes % MNM_SPAN_UNIT)
		return "it has placed a block at no multiple of 512 bytes";
	if (place->addr % unit || place->bytes % unit)
		return "it has placed a block in a part of a host's page";
	if (!held_bytes_has(&self->bytes, place, request, &region, &ready))
		return "it has placed a block where it has no free bytes";
	if (named != &region->seen)
		return "it has placed a block in another region than it says";
	if (!ready)
		return "it has placed a block in bytes that were not ready";
	return NULL;
}

/* A pool that has grown by all that it lacked has to find a place at once,
 * unless it has handed bytes over since. What it lacked was for that span
 * alone, and may have to be joined with bytes that are not ready yet, unless it
 * was to be of fresh bytes. Several times in a row, it was not another thread
 * that took it. */
static const char *vain_wrong(struct checked_pool *self, size_t span,
			      enum mnm_answer answer)
{
	if (self->gained < self->due || span != self->lacked ||
	    (answer == MNM_UNSAFE && !self->lacked_fresh))
		return NULL;
	self->due = SIZE_MAX;
	if (++self->vain < VAIN_MOST)
		return NULL;
	return "it has found no place in the regions that it asked for";
}

enum mnm_answer checked_place(struct mnm_pool *pool,
			      const struct mnm_request *request,
			      struct mnm_place *place)
{
	struct checked_pool *self = checked_self(pool);
	struct mnm_place found = {0};
	enum mnm_answer answer;
	const char *wrong;

	if (checked_off(self) || !is_prepared(self))
		return MNM_MISS;
	checked_tell(self);
	if (!inner_place(self, request, &found, &answer))
		return MNM_MISS;
	if (answer == MNM_HIT)
		wrong = place_wrong(self, request, &found);
	else if (answer == MNM_MISS || answer == MNM_UNSAFE)
		wrong = vain_wrong(self, request->span, answer);
	else
		wrong = "its answer to place is none";
	if (wrong) {
		checked_fault(self->table, "%s", wrong);
		return MNM_MISS;
	}
	if (answer != MNM_HIT)
		return answer;
	self->vain = self->refused = 0;
	self->due = SIZE_MAX;
	held_bytes_take(&self->bytes, &found);
	*place = found;
	return MNM_HIT;
}

/* The pool does not take bytes. Those of a block it has to take. For fresh ones
 * it may lack memory, but the program's request would fail the second time. */
static bool add_refused(struct checked_pool *self,
			const struct mnm_place *place,
			struct held_region *region, bool fresh)
{
	const char *wrong = NULL;

	if (place->epoch != MNM_EPOCH_NEVER)
		wrong = "it has refused the bytes of a freed block";
	else if (++self->refused == REFUSED_MOST)
		wrong = "it has refused the memory that it asked for";
	if (wrong) {
		checked_fault(self->table, "%s", wrong);
		return true;
	}
	held_bytes_take(&self->bytes, place);
	if (fresh)
		held_region_drop(&self->bytes, region);
	return false;
}

bool checked_add(struct mnm_pool *pool, const struct mnm_place *place)
{
	struct checked_pool *self = checked_self(pool);
	struct held_region *region =
		held_region_find(&self->bytes, place->region);
	struct mnm_pool *keeper;
	struct mnm_place seen = *place;
	bool fresh = !region, kept;

	if (checked_off(self) && (keeper = keeper_of(self)))
		return vmm_pool.add(keeper, place);
	if (!is_prepared(self))
		return false;
	region = held_region_current(&self->bytes, place->region);
	if (!region)
		return false;
	held_bytes_add(&self->bytes, place, region);
	if (checked_off(self))
		return true;
	if (place->epoch == MNM_EPOCH_NEVER)
		self->gained += place->bytes;
	checked_tell(self);
	seen.region = &region->seen;
	return !inner_add(self, &seen, &kept) || kept ||
	       add_refused(self, place, region, fresh);
}

/* What is wrong with what a pool says that it lacks, or NULL. */
static const char *lack_wrong(const struct checked_pool *self, size_t span,
			      const struct mnm_region *grows,
			      enum mnm_growth rule, const struct mnm_lack *lack)
{
	size_t page = self->pool.backing == MNM_BACKING_HOST ? MNM_SPAN_UNIT
							     : MNM_REGION_PAGE;

	if (span > SIZE_MAX - MNM_REGION_PAGE)
		return NULL; /* no device has as much, whatever it says */
	if (lack->fresh % page || lack->moved % page)
		return "what it lacks is no multiple of a region's page";
	if (lack->moved && (!grows || mnm_growth_is_fresh(rule)))
		return "it lacks pages that move where none can";
	if (lack->fresh > SIZE_MAX - lack->moved ||
	    !(lack->fresh + lack->moved))
		return "it lacks nothing, or more bytes than there are";
	if (!grows && lack->fresh < span)
		return "it lacks less than the request for a new region";
	if (mnm_growth_is_least(rule) &&
	    lack->fresh + lack->moved > pages_up(span) + MNM_REGION_PAGE)
		return "it lacks more than the request where memory is short";
	return NULL;
}

void checked_lacks(struct mnm_pool *pool, size_t span,
		   const struct mnm_region *grows, enum mnm_growth rule,
		   struct mnm_lack *lack)
{
	struct checked_pool *self = checked_self(pool);
	const struct held_region *region;
	const char *wrong = NULL;

	*lack = (struct mnm_lack){0};
	if (!checked_off(self)) {
		checked_tell(self);
		region = grows ? held_region_find(&self->bytes, grows) : NULL;
		self->lacked = span;
		self->lacked_fresh = mnm_growth_is_fresh(rule);
		self->gained = 0;
		self->due = SIZE_MAX;
		if (inner_lacks(self, span, region ? &region->seen : NULL, rule,
				lack)) {
			wrong = lack_wrong(self, span, grows, rule, lack);
			if (!wrong)
				self->due = lack->fresh + lack->moved;
			if (!wrong)
				return;
			checked_fault(self->table, "%s", wrong);
		}
	}
	*lack = (struct mnm_lack){.fresh = pages_up(span)};
}

/* What is wrong with bytes that are to go, at most so many, or NULL. */
static const char *part_wrong(const struct checked_pool *self, size_t bytes,
			      struct mnm_place *place,
			      struct held_region **region, bool whole,
			      bool moves)
{
	const struct mnm_region *named = place->region;
	bool ready, all;

	if (!held_bytes_has(&self->bytes, place, NULL, region, &ready))
		return "it has handed over bytes that it does not have";
	if (named != &(*region)->seen)
		return "it has handed over bytes of another region than it "
		       "says";
	if (moves && (*region)->given != self->pool.growing)
		return "it has handed over pages to move of a region that does "
		       "not grow";
	all = place->addr == (*region)->base &&
	      place->bytes == (*region)->bytes;
	if (!(*region)->grows)
		return all ? NULL
			   : "it has handed over a part of a region that goes "
			     "whole";
	if (whole)
		return "it has handed over pages for a region";
	if (place->addr % MNM_REGION_PAGE || place->bytes % MNM_REGION_PAGE)
		return "it has handed over parts of pages";
	if (place->bytes > pages_up(bytes))
		return "it has handed over more pages than were asked for";
	return NULL;
}

/* The bytes leave. */
static void part_leaves(struct checked_pool *self,
			const struct mnm_place *place,
			struct held_region *region)
{
	self->due = SIZE_MAX; /* what it lacks now, it may have had */
	held_bytes_take(&self->bytes, place);
	if (!region->grows)
		held_region_drop(&self->bytes, region);
}

bool checked_part(struct mnm_pool *pool, size_t bytes, bool moves,
		  struct mnm_place *place)
{
	struct checked_pool *self = checked_self(pool);
	struct mnm_pool *keeper;
	struct held_region *region;
	const char *wrong = NULL;
	bool found = false;

	if (!checked_off(self)) {
		if (!is_prepared(self))
			return false;
		checked_tell(self);
		if (!inner_part(self, bytes, moves, place, &found))
			wrong = "it was left";
		else if (found)
			wrong = part_wrong(self, bytes, place, &region, false,
					   moves);
		else if (!moves && held_bytes_has_whole(&self->bytes))
			wrong = "it has kept a free region back";
		if (!wrong && found)
			part_leaves(self, place, region);
		if (!wrong)
			return found;
		checked_fault(self->table, "%s", wrong);
	}
	keeper = keeper_of(self);
	return keeper && vmm_pool.part(keeper, bytes, moves, place);
}

bool checked_part_aged(struct mnm_pool *pool, uint64_t *age,
		       struct mnm_place *place)
{
	struct checked_pool *self = checked_self(pool);
	struct held_region *region;
	const char *wrong;
	bool found;

	if (checked_off(self) || !is_prepared(self))
		return false;
	checked_tell(self);
	if (!inner_part_aged(self, age, place, &found) || !found)
		return false;
	wrong = part_wrong(self, SIZE_MAX, place, &region, true, false);
	if (!wrong) {
		part_leaves(self, place, region);
		return true;
	}
	checked_fault(self->table, "%s", wrong);
	return false;
}
