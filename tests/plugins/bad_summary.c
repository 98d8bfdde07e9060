/* A plug-in whose summary has two lines. */
#include "plugin.h"

static const struct named ops = {.name = "lines_pool"};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves\nnothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
