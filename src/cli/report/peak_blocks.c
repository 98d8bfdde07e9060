#include "peak_blocks.h"

#include <stdlib.h>

void peak_blocks_add(struct peak_blocks *peak, struct peak_block block)
{
	if (peak->count == peak->room) {
		size_t room = peak->room ? 2 * peak->room : 1024;
		struct peak_block *more =
			realloc(peak->blocks, room * sizeof(*more));

		if (!more)
			return;
		peak->blocks = more;
		peak->room = room;
	}
	peak->blocks[peak->count++] = block;
}

void peak_blocks_close(struct peak_blocks *peak)
{
	free(peak->blocks);
	*peak = (struct peak_blocks){0};
}

static int by_share(const void *a, const void *b)
{
	const struct peak_block *first = a, *second = b;

	if (first->share != second->share)
		return first->share < second->share ? -1 : 1;
	return (first->size > second->size) - (first->size < second->size);
}

/* The blocks of one size and function. */
struct size_group {
	uint64_t size, blocks;
};

static int by_bytes(const void *a, const void *b)
{
	const struct size_group *first = a, *second = b;
	uint64_t left = first->size * first->blocks;
	uint64_t right = second->size * second->blocks;

	return (left < right) - (left > right);
}

static json_t *sizes_json(const struct size_group *groups, size_t count)
{
	json_t *list = json_array();
	uint64_t bytes = 0, blocks = 0;

	for (size_t i = 0; i < count; i++) {
		if (i < PEAK_SIZES_MOST) {
			json_array_append_new(
				list,
				json_pack("{s:I,s:I}", "size",
					  (json_int_t)groups[i].size, "blocks",
					  (json_int_t)groups[i].blocks));
			continue;
		}
		bytes += groups[i].size * groups[i].blocks;
		blocks += groups[i].blocks;
	}
	if (blocks)
		json_array_append_new(list,
				      json_pack("{s:n,s:I,s:I}", "size",
						"bytes", (json_int_t)bytes,
						"blocks", (json_int_t)blocks));
	return list;
}

/* The sizes of the blocks, all of one function, which are in order. */
static json_t *function_json(const struct peak_block *blocks, size_t count)
{
	struct size_group *groups = calloc(count, sizeof(*groups));
	size_t used = 0;
	json_t *json;

	for (size_t i = 0; groups && i < count; i++) {
		if (!used || groups[used - 1].size != blocks[i].size)
			groups[used++].size = blocks[i].size;
		groups[used - 1].blocks++;
	}
	if (used)
		qsort(groups, used, sizeof(*groups), by_bytes);
	json = sizes_json(groups, used);
	free(groups);
	return json;
}

json_t *peak_blocks_tree(struct peak_blocks *peak, const struct shares *shares)
{
	json_t *list = shares_now(shares), *sizes[SHARES_MOST] = {NULL}, *each;
	size_t begin = 0, at;

	if (peak->count)
		qsort(peak->blocks, peak->count, sizeof(*peak->blocks),
		      by_share);
	for (size_t i = 0; i < peak->count; i++) {
		unsigned int share = peak->blocks[i].share;

		if (i + 1 < peak->count && peak->blocks[i + 1].share == share)
			continue;
		sizes[share] =
			function_json(&peak->blocks[begin], i + 1 - begin);
		begin = i + 1;
	}
	json_array_foreach(list, at, each)
	{
		json_int_t share =
			json_integer_value(json_object_get(each, "share"));

		json_object_set_new(each, "sizes", sizes[share]);
		sizes[share] = NULL;
	}
	for (unsigned int i = 0; i < SHARES_MOST; i++)
		json_decref(sizes[i]);
	return list;
}
