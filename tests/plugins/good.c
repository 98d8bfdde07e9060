/* A plug-in with two pools, one of which has regions. */
#include "plugin.h"

static const struct mnm_pool_ops quiet = {.name = "quiet_pool", KEEPS_NOTHING};
static const struct mnm_pool_ops placed = {.name = "placed_pool",
					   PLACES_NOTHING};

static const struct mnm_pool_row rows[] = {
	ROW(quiet, "serves nothing", MNM_BACKING_NONE),
	ROW(placed, "serves nothing, from regions", MNM_BACKING_MANAGED)};

PLUGIN(MNM_POOL_VERSION, 2, rows);
