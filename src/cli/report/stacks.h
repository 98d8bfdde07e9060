/* By which ways a peak's holders were asked for, as sampled stacks tell. */
#ifndef MNM_REPORT_STACKS_H
#define MNM_REPORT_STACKS_H

#include <jansson.h>

#include "holders.h"
#include "summary.h"
#include "symbols.h"

/* The holders of a device's peak by the first function of their stacks that a
 * perf map has named, or else that is not of an allocator's library. As
 * holders_name. */
struct named_holder *stacks_name(const struct summary *summary,
				 const struct device_summary *device,
				 struct symbols *symbols, size_t *count);

/* The frames of the stack of that number, the innermost is 0; none: there is no
 * such stack. The names are as those of site_names. */
size_t stack_depth(const struct summary *summary, uint64_t number);
void stack_frame(const struct summary *summary, uint64_t number, size_t frame,
		 struct symbols *symbols, char file[HOLDER_NAME_SIZE],
		 char function[HOLDER_NAME_SIZE]);

/* The stacks of a device's peak, the one that holds most first; those of the
 * same names are one, which has the number of one of them. From malloc; none
 * without memory. */
struct holders stacks_merge(const struct summary *summary,
			    const struct device_summary *device,
			    struct symbols *symbols);

/* Prints the stacks that hold most, and how many others there are. */
void stacks_print(const struct summary *summary,
		  const struct device_summary *device, struct symbols *symbols);

json_t *stacks_json(const struct summary *summary,
		    const struct device_summary *device,
		    struct symbols *symbols);

#endif
