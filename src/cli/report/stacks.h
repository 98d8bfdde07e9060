/* By which ways a peak's holders were asked for, as sampled stacks tell. */
#ifndef MNM_REPORT_STACKS_H
#define MNM_REPORT_STACKS_H

#include <jansson.h>

#include "holders.h"
#include "summary.h"
#include "symbols.h"

/* The frame of a stack, the innermost first, that tells most: the innermost one
 * that a perf map has named, as a function of Python; or else that is not of an
 * allocator's library; or else the innermost of all. */
uint64_t stack_asker(const uint64_t *frames, size_t count,
		     struct symbols *symbols);

/* The holders of a device's peak by the askers of their stacks. As
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

/* A hash of the frame's names; the same for all that have no stack. */
uint64_t stack_frame_mix(const struct summary *summary, uint64_t number,
			 size_t frame, struct symbols *symbols);

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
