/* Attributes of launches and of kernels' nodes. They are kept and told, and
 * change nothing about the work. */
#ifndef SIM_LAUNCH_ATTRIBUTES_H
#define SIM_LAUNCH_ATTRIBUTES_H

#include <stdbool.h>

#include <cuda.h>

#include "../kernel_table.h"

struct function;
struct stream;

enum { ATTRIBUTES = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING + 1 };

/* The compute capability from which on there are clusters. */
enum { CLUSTER_MAJOR = 9 };

/* What a node's attributes are, by CUlaunchAttributeID. */
struct launch_attributes {
	CUlaunchAttributeValue at[ATTRIBUTES];
};

/* Whether the value is one that the attribute can have. */
bool attribute_fits(CUlaunchAttributeID what,
		    const CUlaunchAttributeValue *value);
/* Replaces one set by a copy of another; either may be none (NULL). Returns
 * false when memory is short. */
bool attributes_copy(const struct launch_attributes *from,
		     struct launch_attributes **to);
/* Sets one of a node's attributes. CUDA_ERROR_OUT_OF_MEMORY. */
CUresult attributes_set(struct launch_attributes **attributes,
			CUlaunchAttributeID what,
			const CUlaunchAttributeValue *value);
/* Blocks that a cluster of the function may have. */
unsigned cluster_most(const struct function *function);
/* Whether a device has clusters of this shape, and a grid is made of them.
 * CUDA_ERROR_NOT_SUPPORTED or CUDA_ERROR_INVALID_CLUSTER_SIZE. */
CUresult cluster_check(const struct function *function, unsigned x, unsigned y,
		       unsigned z, const struct sim_launch *shape);
/* Gives the attributes of a launch to the node that a capturing stream has made
 * of it. Does nothing in any other stream. */
CUresult attributes_capture(struct stream *stream,
			    const CUlaunchAttribute *attributes, size_t count);

#endif
