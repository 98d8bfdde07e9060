/* Treaps of extents (Seidel and Aragon, Randomized Search Trees, 1996). Each
 * operation takes about 2 log2 n steps for n extents. */
#ifndef MNM_EXTENT_TREE_H
#define MNM_EXTENT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "extents.h"

/* Where an extent stands in a tree: by the first number, then the second. */
struct extent_key {
	uint64_t first, second;
};

/* Its bytes and its address by size, and its address by address. */
struct extent_key extent_key(const struct extent *extent, int tree);
bool extent_key_is_less(struct extent_key a, struct extent_key b);

/* `tree` is one of those of extents.h, which the root is of. */
void extent_tree_insert(struct extent **root, struct extent *extent, int tree);
void extent_tree_remove(struct extent **root, struct extent *extent, int tree);

/* The first that is not less than the key, or NULL. */
struct extent *extent_tree_from(struct extent *root, struct extent_key key,
				int tree);

#endif
