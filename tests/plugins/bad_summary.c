/* A plug-in whose summary has two lines. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {.name = "lines_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves\nnothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
