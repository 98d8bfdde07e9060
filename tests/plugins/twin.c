/* page_unit_pool once more, as the pool of a plug-in: what the way there
 * costs. */
#include "../../src/pools/bins.c"
#include "../../src/pools/page_unit_pool.c"

#include "plugin.h"

static const struct mnm_pool_ops twin = {
	.name = "twin_pool",
	.size = sizeof(struct binned_pool),
	.open = page_unit_pool_open,
	.close = bins_close,
	.span = page_unit_pool_span,
	.alloc = bins_alloc,
	.free = bins_free,
	.alloc_batch = bins_alloc_batch,
	.free_batch = bins_free_batch,
	.trim = bins_trim,
};

static const struct mnm_pool_row rows[] = {
	ROW(twin, "page_unit_pool from a plug-in", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
