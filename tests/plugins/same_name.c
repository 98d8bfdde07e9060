/* A plug-in that brings another pool of the name quiet_pool. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "quiet_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
