/* A plug-in with a name of 64 bytes. */
#include "plugin.h"

static const struct mnm_pool_ops ops = {
	KEEPS_NOTHING,
	.name = "a123456789012345678901234567890123456789012345678901234567890123"};
static const struct mnm_pool_row rows[] = {
	ROW(ops, "serves nothing", MNM_BACKING_NONE)};

PLUGIN(MNM_POOL_VERSION, 1, rows);
