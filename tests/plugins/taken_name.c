/* A plug-in with the name of one of mnm's own pools. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "vmm_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
