/* A plug-in that brings another pool of the name quiet_pool. */
#include "plugin.h"

static const struct named ops = {.name = "quiet_pool"};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
