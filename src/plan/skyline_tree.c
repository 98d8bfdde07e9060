#include "plan/skyline_tree.h"

#include <string.h>

static const struct skyline_node nothing = {UINT32_MAX, UINT32_MAX};

static struct skyline_node join(struct skyline_node a, struct skyline_node b)
{
	if (b.rank < a.rank)
		a.rank = b.rank;
	if (b.to < a.to)
		a.to = b.to;
	return a;
}

void skyline_tree_fill(struct skyline *skyline, const uint32_t *ranks)
{
	const struct shape *shape = skyline->shape;
	uint32_t count = (uint32_t)shape->count;

	for (uint32_t i = 0; i < count; i++) {
		skyline->tree[count + skyline->leaf_of[i]] =
			(struct skyline_node){ranks[i], shape->to[i]};
		skyline->of_rank[ranks[i]] = i;
	}
	for (uint32_t i = count; i-- > 1;)
		skyline->tree[i] =
			join(skyline->tree[2 * i], skyline->tree[2 * i + 1]);
}

void skyline_tree_remove(struct skyline *skyline, uint32_t buffer)
{
	struct skyline_node *tree = skyline->tree;
	uint32_t at =
		(uint32_t)skyline->shape->count + skyline->leaf_of[buffer];

	tree[at] = nothing;
	for (at /= 2; at; at /= 2) {
		struct skyline_node node = join(tree[2 * at], tree[2 * at + 1]);

		if (!memcmp(&node, &tree[at], sizeof node))
			return;
		tree[at] = node;
	}
}

/* The least rank below a node that ends in time, or best if that is less. */
static uint32_t find_below(const struct skyline *skyline, uint32_t at,
			   uint32_t to, uint32_t best)
{
	const struct skyline_node *tree = skyline->tree;
	uint32_t count = (uint32_t)skyline->shape->count;
	/* One sibling a level waits while the other one is searched. */
	uint32_t waiting[40];
	uint32_t depth = 0;

	waiting[depth++] = at;
	while (depth) {
		at = waiting[--depth];
		if (tree[at].rank >= best || tree[at].to > to)
			continue;
		if (at >= count) {
			best = tree[at].rank;
			continue;
		}
		at *= 2;
		if (tree[at].rank < tree[at + 1].rank)
			at++;
		waiting[depth++] = at;
		waiting[depth++] = at ^ 1;
	}
	return best;
}

uint32_t skyline_tree_find(const struct skyline *skyline, uint32_t from,
			   uint32_t end, uint32_t to)
{
	uint32_t count = (uint32_t)skyline->shape->count;
	uint32_t low = skyline->leaves[from] + count;
	uint32_t high = skyline->leaves[end] + count;
	uint32_t best = UINT32_MAX;

	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			best = find_below(skyline, low++, to, best);
		if (high & 1)
			best = find_below(skyline, --high, to, best);
	}
	return best;
}
