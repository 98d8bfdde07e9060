/* A plug-in that needs a library which is not there. */
#include "plugin.h"

extern int absent_number(void);

static const struct mnm_pool_ops ops = {.name = "needy_pool", KEEPS_NOTHING};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);

EXPORTED int (*needed)(void) = absent_number;
