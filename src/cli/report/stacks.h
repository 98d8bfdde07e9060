/* By which ways a peak's holders were asked for, as sampled stacks tell. */
#ifndef MNM_REPORT_STACKS_H
#define MNM_REPORT_STACKS_H

#include <jansson.h>

#include "holders.h"
#include "summary.h"
#include "symbols.h"

/* The holders of a device's peak by the first function of their stacks that is
 * not of an allocator's library. As holders_name. */
struct named_holder *stacks_name(const struct summary *summary,
				 const struct device_summary *device,
				 struct symbols *symbols, size_t *count);

/* Prints all stacks, the one that holds most first. */
void stacks_print(const struct summary *summary,
		  const struct device_summary *device, struct symbols *symbols);

json_t *stacks_json(const struct summary *summary,
		    const struct device_summary *device,
		    struct symbols *symbols);

#endif
