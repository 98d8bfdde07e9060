/* A plug-in whose pool has no name. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = ((void *)0), KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
