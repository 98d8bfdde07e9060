#include "plan/skyline.h"

#include <stdlib.h>

#include "plan/skyline_tree.h"
#include "plan/sort.h"

static bool is_lower(const struct skyline *skyline, uint32_t a, uint32_t b)
{
	int64_t one = skyline->height[a], other = skyline->height[b];

	return one < other || (one == other && a < b);
}

static void heap_set(struct skyline *skyline, uint32_t at, uint32_t start)
{
	skyline->heap[at] = start;
	skyline->heap_at[start] = at;
}

static void heap_rise(struct skyline *skyline, uint32_t at, uint32_t start)
{
	while (at) {
		uint32_t above = skyline->heap[(at - 1) / 2];

		if (!is_lower(skyline, start, above))
			break;
		heap_set(skyline, at, above);
		at = (at - 1) / 2;
	}
	heap_set(skyline, at, start);
}

static void heap_sink(struct skyline *skyline, uint32_t at, uint32_t start)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= skyline->heap_count)
			break;
		if (child + 1 < skyline->heap_count &&
		    is_lower(skyline, skyline->heap[child + 1],
			     skyline->heap[child]))
			child++;
		if (!is_lower(skyline, skyline->heap[child], start))
			break;
		heap_set(skyline, at, skyline->heap[child]);
		at = child;
	}
	heap_set(skyline, at, start);
}

static void heap_remove(struct skyline *skyline, uint32_t start)
{
	uint32_t at = skyline->heap_at[start];
	uint32_t last = skyline->heap[--skyline->heap_count];

	if (last == start)
		return;
	if (is_lower(skyline, last, start))
		heap_rise(skyline, at, last);
	else
		heap_sink(skyline, at, last);
}

/* The part to the right of one, or its own start where it has none. */
static uint32_t part_after(const struct skyline *skyline, uint32_t start)
{
	uint32_t sections = skyline->shape->sections;
	uint32_t end = start + skyline->length[start];

	if (end < sections)
		return end;
	return skyline->shape->circle ? end - sections : start;
}

static bool has_before(const struct skyline *skyline, uint32_t start)
{
	return skyline->before[start] != start &&
	       (skyline->shape->circle || start);
}

/* Joins a part with the one before it, which has the same height. */
static void part_join(struct skyline *skyline, uint32_t start)
{
	uint32_t before = skyline->before[start];
	uint32_t after = part_after(skyline, start);

	heap_remove(skyline, start);
	skyline->length[before] += skyline->length[start];
	skyline->before[after] = before;
}

static void part_join_equals(struct skyline *skyline, uint32_t start)
{
	uint32_t after = part_after(skyline, start);

	if (after != start && skyline->height[after] == skyline->height[start])
		part_join(skyline, after);
	if (has_before(skyline, start) &&
	    skyline->height[skyline->before[start]] == skyline->height[start])
		part_join(skyline, start);
}

/* Cuts a part in two at a section inside of it. */
static void part_cut(struct skyline *skyline, uint32_t start, uint32_t length)
{
	uint32_t sections = skyline->shape->sections;
	uint32_t after = part_after(skyline, start), made = start + length;

	if (made >= sections)
		made -= sections;
	skyline->height[made] = skyline->height[start];
	skyline->length[made] = skyline->length[start] - length;
	skyline->length[start] = length;
	skyline->before[made] = start;
	if (after != start || skyline->shape->circle)
		skyline->before[after] = made;
	heap_rise(skyline, skyline->heap_count++, made);
}

/* No buffer fits any more: up to the lower one of its neighbours. False if it
 * has none. */
static bool part_fill(struct skyline *skyline, uint32_t start)
{
	uint32_t after = part_after(skyline, start);
	int64_t height = INT64_MAX;

	if (after != start)
		height = skyline->height[after];
	if (has_before(skyline, start) &&
	    skyline->height[skyline->before[start]] < height)
		height = skyline->height[skyline->before[start]];
	if (height == INT64_MAX)
		return false;
	skyline->height[start] = height;
	heap_sink(skyline, skyline->heap_at[start], start);
	part_join_equals(skyline, start);
	return true;
}

/* The part that is the whole circle may begin anywhere. */
static uint32_t part_turn(struct skyline *skyline, uint32_t start,
			  uint32_t turned)
{
	skyline->height[turned] = skyline->height[start];
	skyline->length[turned] = skyline->length[start];
	skyline->before[turned] = turned;
	heap_set(skyline, 0, turned);
	return turned;
}

/* Raises the part under a buffer that fits into it. */
static void part_raise(struct skyline *skyline, uint32_t start, uint32_t buffer,
		       int64_t top)
{
	const struct shape *shape = skyline->shape;
	uint32_t from = shape->from[buffer];
	uint32_t length = shape->to[buffer] - from;

	if (shape->circle && skyline->length[start] == shape->sections)
		start = part_turn(skyline, start, from);
	if (from != start) {
		part_cut(skyline, start,
			 from > start ? from - start
				      : from + shape->sections - start);
		start = from;
	}
	if (skyline->length[start] > length)
		part_cut(skyline, start, length);
	skyline->height[start] = top;
	heap_sink(skyline, skyline->heap_at[start], start);
	part_join_equals(skyline, start);
}

/* The least rank of the buffers that fit into a part. */
static uint32_t part_find(const struct skyline *skyline, uint32_t start)
{
	uint32_t sections = skyline->shape->sections;
	uint32_t end = start + skyline->length[start];
	uint32_t rank, other;

	if (!skyline->shape->circle || end <= sections)
		return skyline->length[start] == sections
			       ? skyline_tree_find(skyline, 0, sections,
						   2 * sections)
			       : skyline_tree_find(skyline, start, end, end);
	if (skyline->length[start] == sections)
		return skyline_tree_find(skyline, 0, sections, 2 * sections);
	rank = skyline_tree_find(skyline, start, sections, end);
	other = skyline_tree_find(skyline, 0, end - sections, end - sections);
	return other < rank ? other : rank;
}

int64_t skyline_run(struct skyline *skyline, const uint32_t *ranks,
		    int64_t limit, int64_t *offsets)
{
	const struct shape *shape = skyline->shape;
	int64_t peak = 0;

	skyline_tree_fill(skyline, ranks);
	skyline->height[0] = 0;
	skyline->length[0] = shape->sections;
	skyline->before[0] = 0;
	heap_set(skyline, 0, 0);
	skyline->heap_count = 1;
	for (size_t left = shape->count; left;) {
		uint32_t start = skyline->heap[0], buffer;
		uint32_t rank = part_find(skyline, start);
		int64_t top;

		if (rank == UINT32_MAX) {
			if (!part_fill(skyline, start))
				break;
			continue;
		}
		buffer = skyline->of_rank[rank];
		offsets[buffer] =
			align_up(skyline->height[start], shape->align[buffer]);
		top = offsets[buffer] + shape->size[buffer];
		if (top >= limit)
			return INT64_MAX;
		if (top > peak)
			peak = top;
		skyline_tree_remove(skyline, buffer);
		part_raise(skyline, start, buffer, top);
		left--;
	}
	return peak;
}

static bool skyline_sort(struct skyline *skyline)
{
	const struct shape *shape = skyline->shape;
	size_t count = shape->count;
	struct sort_entry *entries = malloc(2 * count * sizeof *entries);
	uint32_t leaf = 0;

	if (!entries)
		return false;
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (struct sort_entry){shape->from[i], i};
	sort_entries(entries, entries + count, count);
	for (uint32_t section = 0; section <= shape->sections; section++) {
		while (leaf < count && entries[leaf].key < section)
			leaf++;
		skyline->leaves[section] = leaf;
	}
	for (leaf = 0; leaf < count; leaf++)
		skyline->leaf_of[entries[leaf].id] = leaf;
	free(entries);
	return true;
}

bool skyline_open(struct skyline *skyline, const struct shape *shape)
{
	size_t count = shape->count, sections = shape->sections;

	*skyline = (struct skyline){.shape = shape};
	skyline->tree = malloc(2 * count * sizeof *skyline->tree);
	skyline->leaf_of = malloc(2 * count * sizeof *skyline->leaf_of);
	skyline->leaves = malloc((sections + 1) * sizeof *skyline->leaves);
	skyline->height = malloc(sections * sizeof *skyline->height);
	skyline->length = malloc(4 * sections * sizeof *skyline->length);
	if (!skyline->tree || !skyline->leaf_of || !skyline->leaves ||
	    !skyline->height || !skyline->length) {
		skyline_close(skyline);
		return false;
	}
	skyline->of_rank = skyline->leaf_of + count;
	skyline->before = skyline->length + sections;
	skyline->heap = skyline->before + sections;
	skyline->heap_at = skyline->heap + sections;
	if (!skyline_sort(skyline)) {
		skyline_close(skyline);
		return false;
	}
	return true;
}

void skyline_close(struct skyline *skyline)
{
	free(skyline->tree);
	free(skyline->leaf_of);
	free(skyline->leaves);
	free(skyline->height);
	free(skyline->length);
}
