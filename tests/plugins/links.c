/* A plug-in that is linked to CUDA. */
#include "plugin.h"

extern int cuDriverGetVersion(int *version);

EXPORTED int (*const links)(int *version) = cuDriverGetVersion;

static const struct mnm_pool_ops ops = {.name = "linked_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
