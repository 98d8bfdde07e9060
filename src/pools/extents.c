#include "extents.h"

#include <stdlib.h>

enum { SLAB_EXTENTS = 64 };

struct extent_slab {
	struct extent_slab *next;
	struct extent extents[SLAB_EXTENTS];
};

/* Where an extent stands in an order: by the first number, then the second. */
struct key {
	uint64_t first, second;
};

static struct key key_of(const struct extent *extent, enum extent_order order)
{
	return order == EXTENT_BY_SIZE
		       ? (struct key){extent->bytes, extent->addr}
		       : (struct key){extent->addr, 0};
}

static bool key_is_less(struct key a, struct key b)
{
	return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/* Parts a tree into what is less than a key and what is not. */
static void tree_split(struct extent *tree, enum extent_order order,
		       struct key key, struct extent **less,
		       struct extent **rest)
{
	while (tree) {
		if (key_is_less(key_of(tree, order), key)) {
			*less = tree;
			less = &tree->child[order][1];
			tree = *less;
		} else {
			*rest = tree;
			rest = &tree->child[order][0];
			tree = *rest;
		}
	}
	*less = *rest = NULL;
}

static struct extent *tree_join(struct extent *left, struct extent *right,
				enum extent_order order)
{
	struct extent *root = NULL, **link = &root;

	while (left && right) {
		if (left->priority > right->priority) {
			*link = left;
			link = &left->child[order][1];
			left = *link;
		} else {
			*link = right;
			link = &right->child[order][0];
			right = *link;
		}
	}
	*link = left ? left : right;
	return root;
}

static void tree_insert(struct extents *extents, struct extent *extent,
			enum extent_order order)
{
	struct extent **link = &extents->root[order];
	struct key key = key_of(extent, order);

	while (*link && (*link)->priority >= extent->priority)
		link = &(*link)->child[order]
				      [key_is_less(key_of(*link, order), key)];
	tree_split(*link, order, key, &extent->child[order][0],
		   &extent->child[order][1]);
	*link = extent;
}

static void tree_remove(struct extents *extents, const struct extent *extent,
			enum extent_order order)
{
	struct extent **link = &extents->root[order];
	struct key key = key_of(extent, order);

	while (*link != extent)
		link = &(*link)->child[order]
				      [key_is_less(key_of(*link, order), key)];
	*link = tree_join(extent->child[order][0], extent->child[order][1],
			  order);
}

/* The first in an order that is not less than the key, or NULL. */
static struct extent *tree_from(const struct extents *extents,
				enum extent_order order, struct key key)
{
	struct extent *at = extents->root[order], *found = NULL;

	while (at) {
		if (key_is_less(key_of(at, order), key)) {
			at = at->child[order][1];
		} else {
			found = at;
			at = at->child[order][0];
		}
	}
	return found;
}

struct extent *extents_fit(const struct extents *extents, size_t bytes)
{
	return tree_from(extents, EXTENT_BY_SIZE, (struct key){bytes, 0});
}

struct extent *extents_larger(const struct extents *extents,
			      const struct extent *extent)
{
	return tree_from(extents, EXTENT_BY_SIZE,
			 (struct key){extent->bytes, extent->addr + 1});
}

struct extent *extents_from(const struct extents *extents, uint64_t addr)
{
	return tree_from(extents, EXTENT_BY_ADDRESS, (struct key){addr, 0});
}

struct extent *extents_before(const struct extents *extents, uint64_t addr)
{
	struct extent *at = extents->root[EXTENT_BY_ADDRESS], *found = NULL;

	while (at) {
		if (at->addr < addr) {
			found = at;
			at = at->child[EXTENT_BY_ADDRESS][1];
		} else {
			at = at->child[EXTENT_BY_ADDRESS][0];
		}
	}
	return found;
}

static void spare_push(struct extents *extents, struct extent *extent)
{
	extent->child[0][0] = extents->spare;
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

	extents->spare = extent->child[0][0];
	extents->spares--;
	*extent = *from;
	extent->priority = random_next(extents);
	return extent;
}

static void extent_insert(struct extents *extents, struct extent *extent)
{
	tree_insert(extents, extent, EXTENT_BY_ADDRESS);
	tree_insert(extents, extent, EXTENT_BY_SIZE);
	extents->count++;
}

/* Ends an extent that is not in the order of sizes any more. */
static void extent_end(struct extents *extents, struct extent *extent)
{
	tree_remove(extents, extent, EXTENT_BY_ADDRESS);
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

/* Whether an extent may be used whoever asks. */
static bool is_settled(const struct extents *extents,
		       const struct extent *extent)
{
	return extent->epoch < extents->settled || !extent->epoch;
}

/* Whether two extents are neighbours, and may be used at the same time. */
static bool are_alike(const struct extents *extents, const struct extent *left,
		      const struct extent *right)
{
	bool settled = is_settled(extents, left);

	return left->addr + left->bytes == right->addr &&
	       left->region == right->region &&
	       settled == is_settled(extents, right) &&
	       (settled || left->stream == right->stream);
}

/* The extent that ends where the fresh one begins, and can grow by it; or
 * NULL. */
static struct extent *joins_left(const struct extents *extents,
				 const struct extent *fresh)
{
	struct extent *left = extents_before(extents, fresh->addr);

	return left && are_alike(extents, left, fresh) ? left : NULL;
}

/* The extent that begins where the fresh one ends, and can grow by it; or
 * NULL. */
static struct extent *joins_right(const struct extents *extents,
				  const struct extent *fresh)
{
	struct extent *right =
		extents_from(extents, fresh->addr + fresh->bytes);

	return right && are_alike(extents, fresh, right) ? right : NULL;
}

/* The left extent, which is not in the order of sizes now, grows by the right
 * one. */
static void extent_swallow(struct extents *extents, struct extent *left,
			   struct extent *right)
{
	tree_remove(extents, right, EXTENT_BY_SIZE);
	left->bytes += right->bytes;
	extent_age(left, right);
	extent_end(extents, right);
}

/* The order of addresses stays as it is when an extent grows or shrinks. */
void extents_add(struct extents *extents, const struct extent *fresh)
{
	struct extent *left = joins_left(extents, fresh);
	struct extent *right = joins_right(extents, fresh);
	struct extent *grown = left ? left : right;

	extents->bytes += fresh->bytes;
	if (!grown) {
		extent_insert(extents, extent_new(extents, fresh));
		return;
	}
	tree_remove(extents, grown, EXTENT_BY_SIZE);
	if (grown == right)
		grown->addr = fresh->addr;
	grown->bytes += fresh->bytes;
	extent_age(grown, fresh);
	if (left && right)
		extent_swallow(extents, left, right);
	tree_insert(extents, grown, EXTENT_BY_SIZE);
}

bool extents_settle(struct extents *extents, uint64_t epoch)
{
	struct extent *left = extents_from(extents, 0), *right;
	bool joined = false;

	if (extents->settled >= epoch) {
		extents->settled = epoch;
		return false;
	}
	extents->settled = epoch;
	while (left && (right = extents_from(extents, left->addr + 1))) {
		if (!are_alike(extents, left, right)) {
			left = right;
			continue;
		}
		tree_remove(extents, left, EXTENT_BY_SIZE);
		extent_swallow(extents, left, right);
		tree_insert(extents, left, EXTENT_BY_SIZE);
		joined = true;
	}
	return joined;
}

void extents_cut(struct extents *extents, struct extent *extent, uint64_t addr,
		 size_t bytes)
{
	size_t before = addr - extent->addr;
	size_t after = extent->bytes - before - bytes;
	struct extent rest = *extent;

	extents->bytes -= bytes;
	tree_remove(extents, extent, EXTENT_BY_SIZE);
	if (!before && !after) {
		extent_end(extents, extent);
		return;
	}
	if (!before)
		extent->addr += bytes;
	extent->bytes = before ? before : after;
	tree_insert(extents, extent, EXTENT_BY_SIZE);
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
