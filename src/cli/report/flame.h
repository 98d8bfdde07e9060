/* The stacks of a device's peak as a tree of calls, for a flame graph. */
#ifndef MNM_FLAME_H
#define MNM_FLAME_H

#include <jansson.h>

#include "summary.h"
#include "symbols.h"

/* [[parent, file, function, bytes, blocks], ...]: the outermost calls first,
 * whose parent is -1; other parents are numbers of this list. Calls that hold
 * less than a thousandth of the peak are left out. NULL without stacks. */
json_t *flame_json(const struct summary *summary,
		   const struct device_summary *device,
		   struct symbols *symbols);

#endif
