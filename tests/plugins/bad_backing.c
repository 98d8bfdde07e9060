/* A plug-in with a backing that there is none of. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "odd_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", (enum mnm_backing)9)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
