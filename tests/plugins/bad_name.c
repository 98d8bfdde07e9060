/* A plug-in with a name that would have to be quoted. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "Quiet pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
