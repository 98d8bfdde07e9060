#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stdint.h>

#include <cuda.h>

#include "op.h"

struct function;
struct sim_kernel;

/* Checks a launch and copies its arguments; makes its operation and sets
 * its time. */
CUresult launch_op(const struct function *function,
		   const struct sim_launch *shape, void **params, void **extra,
		   struct op **op, uint64_t *ns);
/* The whole of a launch, in the current context. */
CUresult launch(CUfunction function, const struct sim_launch *shape,
		CUstream where, void **params, void **extra);
/* Where a buffer of arguments has one of them. The alignment of its type is not
 * known: the largest power of two that divides its size, but no more than a
 * pointer's. */
size_t launch_arg_place(const struct sim_kernel *kernel, size_t index);

#endif
