#include "extent_tree.h"

struct extent_key extent_key(const struct extent *extent, int tree)
{
	return tree == EXTENT_BY_ADDRESS
		       ? (struct extent_key){extent->addr, 0}
		       : (struct extent_key){extent->bytes, extent->addr};
}

/* The extents below one in a tree. */
static struct extent **below(struct extent *extent, int tree)
{
	return tree == EXTENT_BY_ADDRESS ? extent->by_address : extent->by_size;
}

bool extent_key_is_less(struct extent_key a, struct extent_key b)
{
	return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/* Parts what is below a link into what is less than a key and what is not. */
static void tree_split(struct extent *at, int tree, struct extent_key key,
		       struct extent **less, struct extent **rest)
{
	while (at) {
		if (extent_key_is_less(extent_key(at, tree), key)) {
			*less = at;
			less = &below(at, tree)[1];
			at = *less;
		} else {
			*rest = at;
			rest = &below(at, tree)[0];
			at = *rest;
		}
	}
	*less = *rest = NULL;
}

static struct extent *tree_join(struct extent *left, struct extent *right,
				int tree)
{
	struct extent *root = NULL, **link = &root;

	while (left && right) {
		if (left->priority > right->priority) {
			*link = left;
			link = &below(left, tree)[1];
			left = *link;
		} else {
			*link = right;
			link = &below(right, tree)[0];
			right = *link;
		}
	}
	*link = left ? left : right;
	return root;
}

/* The link from an extent towards a key. */
static struct extent **link_to(struct extent *at, int tree,
			       struct extent_key key)
{
	return &below(at, tree)[extent_key_is_less(extent_key(at, tree), key)];
}

void extent_tree_insert(struct extent **root, struct extent *extent, int tree)
{
	struct extent **link = root;
	struct extent_key key = extent_key(extent, tree);

	while (*link && (*link)->priority >= extent->priority)
		link = link_to(*link, tree, key);
	tree_split(*link, tree, key, &below(extent, tree)[0],
		   &below(extent, tree)[1]);
	*link = extent;
}

void extent_tree_remove(struct extent **root, struct extent *extent, int tree)
{
	struct extent **link = root;
	struct extent_key key = extent_key(extent, tree);

	while (*link != extent)
		link = link_to(*link, tree, key);
	*link = tree_join(below(extent, tree)[0], below(extent, tree)[1], tree);
}

struct extent *extent_tree_from(struct extent *root, struct extent_key key,
				int tree)
{
	struct extent *at = root, *found = NULL;

	while (at) {
		if (extent_key_is_less(extent_key(at, tree), key)) {
			at = below(at, tree)[1];
		} else {
			found = at;
			at = below(at, tree)[0];
		}
	}
	return found;
}
