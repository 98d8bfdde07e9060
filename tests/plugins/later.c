/* A plug-in for a later version. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "later_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION + 1, 1, rows);
