/* The blocks that live on a device at a moment: of which sizes they are, by the
 * functions that asked for them, and where they are. */
#ifndef MNM_PEAK_BLOCKS_H
#define MNM_PEAK_BLOCKS_H

#include <jansson.h>

#include "shares.h"

enum {
	PEAK_SIZES_MOST = 24, /* of each function */
	MAP_ROWS_MOST = 64,
	MAP_COLUMNS = 64,
	MAP_CELL_LEAST = 512,
};

struct peak_block {
	uint64_t address, size, span;
	unsigned int share; /* of the functions */
};

struct peak_blocks {
	struct peak_block *blocks;
	size_t count, room;
};

/* Without memory it is left out. */
void peak_blocks_add(struct peak_blocks *peak, struct peak_block block);
void peak_blocks_close(struct peak_blocks *peak);

/* As shares_now, with "sizes": [{"size", "blocks"}], those with the most bytes
 * first. Sizes past the limit are one, {"size": null, "bytes", "blocks"}. */
json_t *peak_blocks_tree(struct peak_blocks *peak, const struct shares *shares);

/* {"cell", "rows": [{"address", "used": [...]}]}: bytes in cells of so many
 * bytes, MAP_COLUMNS in a row. Rows without any are left out. A cell is the
 * least power of two, from MAP_CELL_LEAST on, with which MAP_ROWS_MOST rows
 * suffice. NULL without a block. */
json_t *peak_blocks_map(struct peak_blocks *peak);

#endif
