#include "extents.h"

#include <stdlib.h>

#include "extent_tree.h"

enum { SLAB_EXTENTS = 64 };

struct extent_slab {
	struct extent_slab *next;
	struct extent extents[SLAB_EXTENTS];
};

struct extent *extents_fit_of(const struct extents *extents,
			      enum extent_state state, size_t bytes)
{
	return extent_tree_from(extents->root[state],
				(struct extent_key){bytes, 0}, (int)state);
}

struct extent *extents_larger_of(const struct extents *extents,
				 enum extent_state state,
				 const struct extent *extent)
{
	return extent_tree_from(
		extents->root[state],
		(struct extent_key){extent->bytes, extent->addr + 1},
		(int)state);
}

struct extent *extent_smaller(struct extent *one, struct extent *other)
{
	if (!one || !other)
		return one ? one : other;
	return extent_key_is_less(extent_key(one, EXTENT_OPEN),
				  extent_key(other, EXTENT_OPEN))
		       ? one
		       : other;
}

struct extent *extents_fit(const struct extents *extents, size_t bytes)
{
	return extent_smaller(extents_fit_of(extents, EXTENT_SETTLED, bytes),
			      extents_fit_of(extents, EXTENT_OPEN, bytes));
}

struct extent *extents_larger(const struct extents *extents,
			      const struct extent *extent)
{
	return extent_smaller(
		extents_larger_of(extents, EXTENT_SETTLED, extent),
		extents_larger_of(extents, EXTENT_OPEN, extent));
}

struct extent *extents_from(const struct extents *extents, uint64_t addr)
{
	return extent_tree_from(extents->root[EXTENT_BY_ADDRESS],
				(struct extent_key){addr, 0},
				EXTENT_BY_ADDRESS);
}

struct extent *extents_before(const struct extents *extents, uint64_t addr)
{
	struct extent *at = extents->root[EXTENT_BY_ADDRESS], *found = NULL;

	while (at) {
		if (at->addr < addr) {
			found = at;
			at = at->by_address[1];
		} else {
			at = at->by_address[0];
		}
	}
	return found;
}

static void spare_push(struct extents *extents, struct extent *extent)
{
	extent->by_size[0] = extents->spare;
	extents->spare = extent;
	extents->spares++;
}

bool extents_prepare(struct extents *extents, size_t most)
{
	struct extent_slab *slab;

	while (extents->count + extents->spares < most) {
		slab = malloc(sizeof(*slab));
		if (!slab)
			return false;
		slab->next = extents->slabs;
		extents->slabs = slab;
		for (size_t i = SLAB_EXTENTS; i--;)
			spare_push(extents, &slab->extents[i]);
	}
	return true;
}

void extents_close(struct extents *extents)
{
	struct extent_slab *slab;

	while ((slab = extents->slabs)) {
		extents->slabs = slab->next;
		free(slab);
	}
	*extents = (struct extents){0};
}

/* Priorities by a multiplicative generator (Steele and Vigna, Computationally
 * easy, spectrally good multipliers, 2021), so that the trees are balanced. */
static uint32_t random_next(struct extents *extents)
{
	extents->random = extents->random * UINT32_C(0x915f77f5) + 1;
	return extents->random;
}

/* A record for what is free, in no tree yet. */
static struct extent *extent_new(struct extents *extents,
				 const struct extent *from)
{
	struct extent *extent = extents->spare;

	extents->spare = extent->by_size[0];
	extents->spares--;
	*extent = *from;
	extent->priority = random_next(extents);
	return extent;
}

/* The state that bytes of an epoch are in. */
static enum extent_state state_at(const struct extents *extents, uint64_t epoch)
{
	return epoch < extents->settled || !epoch ? EXTENT_SETTLED
						  : EXTENT_OPEN;
}

static void size_insert(struct extents *extents, struct extent *extent)
{
	extent_tree_insert(&extents->root[extent->state], extent,
			   (int)extent->state);
}

static void size_remove(struct extents *extents, struct extent *extent)
{
	extent_tree_remove(&extents->root[extent->state], extent,
			   (int)extent->state);
}

static void extent_insert(struct extents *extents, struct extent *extent)
{
	extent_tree_insert(&extents->root[EXTENT_BY_ADDRESS], extent,
			   EXTENT_BY_ADDRESS);
	size_insert(extents, extent);
	extents->count++;
}

/* Ends an extent that is in no tree of sizes any more. */
static void extent_end(struct extents *extents, struct extent *extent)
{
	extent_tree_remove(&extents->root[EXTENT_BY_ADDRESS], extent,
			   EXTENT_BY_ADDRESS);
	extents->count--;
	spare_push(extents, extent);
}

/* What was freed last decides when all of it may be used. */
static void extent_age(struct extent *extent, const struct extent *other)
{
	if (other->epoch > extent->epoch)
		extent->epoch = other->epoch;
	if (other->stream != extent->stream)
		extent->stream = 0;
}

/* Whether two extents are neighbours, and may be used at the same time. */
static bool are_alike(const struct extent *left, const struct extent *right)
{
	return left->addr + left->bytes == right->addr &&
	       left->region == right->region && left->state == right->state &&
	       (left->state == EXTENT_SETTLED || left->stream == right->stream);
}

/* The extent that ends where the fresh one begins, and can grow by it; or
 * NULL. */
static struct extent *joins_left(const struct extents *extents,
				 const struct extent *fresh)
{
	struct extent *left = extents_before(extents, fresh->addr);

	return left && are_alike(left, fresh) ? left : NULL;
}

/* The extent that begins where the fresh one ends, and can grow by it; or
 * NULL. */
static struct extent *joins_right(const struct extents *extents,
				  const struct extent *fresh)
{
	struct extent *right =
		extents_from(extents, fresh->addr + fresh->bytes);

	return right && are_alike(fresh, right) ? right : NULL;
}

/* The left extent, which is in no tree of sizes now, grows by the right one. */
static void extent_swallow(struct extents *extents, struct extent *left,
			   struct extent *right)
{
	size_remove(extents, right);
	left->bytes += right->bytes;
	extent_age(left, right);
	extent_end(extents, right);
}

/* An extent that grows or shrinks keeps its place among the addresses. */
static void bytes_join(struct extents *extents, const struct extent *fresh)
{
	struct extent *left = joins_left(extents, fresh);
	struct extent *right = joins_right(extents, fresh);
	struct extent *grown = left ? left : right;

	if (!grown) {
		extent_insert(extents, extent_new(extents, fresh));
		return;
	}
	size_remove(extents, grown);
	if (grown == right)
		grown->addr = fresh->addr;
	grown->bytes += fresh->bytes;
	extent_age(grown, fresh);
	if (left && right)
		extent_swallow(extents, left, right);
	size_insert(extents, grown);
}

void extents_add(struct extents *extents, const struct extent *fresh)
{
	struct extent extent = *fresh;

	extent.state = state_at(extents, fresh->epoch);
	extents->bytes += fresh->bytes;
	bytes_join(extents, &extent);
}

/* Takes an extent out of all trees, and joins its bytes in their new state. */
static void extent_restate(struct extents *extents, struct extent *extent,
			   enum extent_state state)
{
	struct extent bytes = *extent;

	size_remove(extents, extent);
	extent_end(extents, extent);
	bytes.state = state;
	bytes_join(extents, &bytes);
}

/* All that changes its state leaves the same tree for the other one. Until then
 * it is joined with none there. */
void extents_settle(struct extents *extents, uint64_t epoch)
{
	enum extent_state before =
		epoch > extents->settled ? EXTENT_OPEN : EXTENT_SETTLED;
	struct extent *at, *next;
	enum extent_state now;

	extents->settled = epoch;
	for (at = extents_fit_of(extents, before, 0); at; at = next) {
		next = extents_larger_of(extents, before, at);
		now = state_at(extents, at->epoch);
		if (now != before)
			extent_restate(extents, at, now);
	}
}

void extents_cut(struct extents *extents, struct extent *extent, uint64_t addr,
		 size_t bytes)
{
	size_t before = addr - extent->addr;
	size_t after = extent->bytes - before - bytes;
	struct extent rest = *extent;

	extents->bytes -= bytes;
	size_remove(extents, extent);
	if (!before && !after) {
		extent_end(extents, extent);
		return;
	}
	if (!before)
		extent->addr += bytes;
	extent->bytes = before ? before : after;
	size_insert(extents, extent);
	if (!before || !after)
		return;
	rest.addr = addr + bytes;
	rest.bytes = after;
	extent_insert(extents, extent_new(extents, &rest));
}

bool extents_would_fit(const struct extents *extents, size_t bytes)
{
	const struct extent *at = extents_from(extents, 0), *next;
	size_t sum = 0;

	for (; at && sum < bytes; at = next) {
		next = extents_from(extents, at->addr + 1);
		sum += at->bytes;
		if (sum < bytes && next &&
		    (next->addr != at->addr + at->bytes ||
		     next->region != at->region))
			sum = 0;
	}
	return sum >= bytes;
}
