#include "kinds.h"

const char *const record_kinds[MNM_RECORD_KINDS] = {
	[MNM_RECORD_LIVE] = "live",
	[MNM_RECORD_ALLOC] = "malloc",
	[MNM_RECORD_FREE] = "free",
	[MNM_RECORD_FAILED] = "failed",
	[MNM_RECORD_SWAP] = "swap",
	[MNM_RECORD_TRIM] = "trim",
	[MNM_RECORD_MARK] = "mark",
	[MNM_RECORD_PUSH] = "push",
	[MNM_RECORD_POP] = "pop",
	[MNM_RECORD_MODULE] = "module",
	[MNM_RECORD_RESERVED] = "reserved",
	[MNM_RECORD_TOOK] = "took",
	[MNM_RECORD_NAME] = "name",
	[MNM_RECORD_START] = "start",
	[MNM_RECORD_STOP] = "stop",
	[MNM_RECORD_POINT] = "point",
	[MNM_RECORD_STACK] = "stack",
	[MNM_RECORD_BUILD] = "build",
	[MNM_RECORD_REGION] = "region",
	[MNM_RECORD_REGION_END] = "region_end",
};
