/* A plug-in with two pools, one of which has regions. */
#include "plugin.h"

static const struct named quiet = {.name = "quiet_pool"};
static const struct named placed = {.name = "placed_pool"};

static const struct mnm_pool_row rows[] = {
	ROW(quiet, "serves nothing", MNM_BACKING_NONE),
	ROW(placed, "serves nothing, from regions", MNM_BACKING_MANAGED)};

PLUGIN(MNM_POOL_VERSION, 2, rows);
