/* A plug-in with more pools than there is room for. Only the first is there to
 * be looked at. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "crowd_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1000, rows);
