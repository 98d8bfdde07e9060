#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stdint.h>

#include <cuda.h>

#include "op.h"

struct function;

/* Checks a launch and copies its arguments; makes its operation and sets
 * its time. */
CUresult launch_op(const struct function *function,
		   const struct sim_launch *shape, void **params, void **extra,
		   struct op **op, uint64_t *ns);

#endif
