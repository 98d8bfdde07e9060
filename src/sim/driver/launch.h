#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stdint.h>

#include <cuda.h>

#include "op.h"

struct code;
struct context;
struct function;
struct sim_kernel;

/* Checks a launch in a context and copies its arguments; makes its operation
 * and sets its time. For a stand-in the lock may have been dropped. */
CUresult launch_op(const struct function *function, struct context *ctx,
		   const struct sim_launch *shape, void **params, void **extra,
		   struct op **op, uint64_t *ns);
/* Whether a function can have this shape: CUDA_ERROR_INVALID_VALUE if not.
 * Tells how many threads that is. */
CUresult launch_shape_check(const struct sim_launch *shape,
			    const struct function *function, uint64_t *threads);
/* The whole of a launch, in the current context. */
CUresult launch(CUfunction function, const struct sim_launch *shape,
		CUstream where, void **params, void **extra);
/* Where a buffer of arguments has one of them. The alignment of a host
 * function's type is not known: the largest power of two that divides its size,
 * but no more than a pointer's. */
size_t launch_arg_place(const struct sim_kernel *kernel,
			const struct code *code, size_t index);

#endif
