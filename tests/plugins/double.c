/* A plug-in whose second pool has the name of its first. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "double_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE),
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 2, rows);
