/* Where blocks are. */
#include "peak_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
	const struct peak_block *first = a, *second = b;

	return (first->address > second->address) -
	       (first->address < second->address);
}

static uint64_t bytes_of(const struct peak_block *block)
{
	return block->span ? block->span : block->size;
}

/* The last byte of a block; a wrong recording may say that it runs over. */
static uint64_t last_of(const struct peak_block *block)
{
	uint64_t bytes = bytes_of(block);

	if (!bytes)
		return block->address;
	return block->address > UINT64_MAX - (bytes - 1)
		       ? UINT64_MAX
		       : block->address + bytes - 1;
}

/* How many rows of that many bytes the blocks touch; past the limit it is not
 * counted on. */
static size_t rows_touched(const struct peak_blocks *peak, uint64_t row)
{
	uint64_t next = 0; /* the first row that is not counted yet */
	size_t count = 0;

	for (size_t i = 0; i < peak->count && count <= MAP_ROWS_MOST; i++) {
		uint64_t first = peak->blocks[i].address / row;
		uint64_t last = last_of(&peak->blocks[i]) / row;

		if (first < next)
			first = next;
		if (last < first)
			continue;
		if (last - first >= MAP_ROWS_MOST)
			return MAP_ROWS_MOST + 1;
		count += last - first + 1;
		next = last + 1;
	}
	return count;
}

static json_t *row_json(uint64_t address, uint64_t *used)
{
	char text[24];
	json_t *cells = json_array();

	for (int i = 0; i < MAP_COLUMNS; i++) {
		json_array_append_new(cells, json_integer((json_int_t)used[i]));
		used[i] = 0;
	}
	snprintf(text, sizeof(text), "%#" PRIx64, address);
	return json_pack("{s:s,s:o}", "address", text, "used", cells);
}

/* Adds up a block's bytes in the cells of the row, so far as they are in it. */
static void row_fill(uint64_t *used, uint64_t address, uint64_t cell,
		     const struct peak_block *block)
{
	uint64_t row_last = address + (MAP_COLUMNS * cell - 1);
	uint64_t at = block->address > address ? block->address : address;
	uint64_t last = last_of(block) < row_last ? last_of(block) : row_last;

	while (at <= last) {
		uint64_t cell_last = at | (cell - 1);
		uint64_t until = cell_last < last ? cell_last : last;

		used[(at - address) / cell] += until - at + 1;
		if (until == last)
			return;
		at = until + 1;
	}
}

static json_t *rows_json(const struct peak_blocks *peak, uint64_t cell)
{
	uint64_t row = cell * MAP_COLUMNS, used[MAP_COLUMNS] = {0}, number = 0;
	json_t *list = json_array();
	bool open = false;

	for (size_t i = 0; i < peak->count; i++) {
		const struct peak_block *block = &peak->blocks[i];
		uint64_t first = block->address / row;
		uint64_t last = last_of(block) / row;

		/* Blocks of a wrong recording may overlap. */
		if (open && first < number)
			first = number;
		for (uint64_t at = first; at <= last; at++) {
			if (open && at != number)
				json_array_append_new(
					list, row_json(number * row, used));
			open = true;
			number = at;
			row_fill(used, at * row, cell, block);
		}
	}
	if (open)
		json_array_append_new(list, row_json(number * row, used));
	return list;
}

json_t *peak_blocks_map(struct peak_blocks *peak)
{
	uint64_t cell = MAP_CELL_LEAST;

	if (!peak->count)
		return NULL;
	qsort(peak->blocks, peak->count, sizeof(*peak->blocks), by_address);
	while (cell < (uint64_t)1 << 52 &&
	       rows_touched(peak, cell * MAP_COLUMNS) > MAP_ROWS_MOST)
		cell *= 2;
	return json_pack("{s:I,s:o}", "cell", (json_int_t)cell, "rows",
			 rows_json(peak, cell));
}
