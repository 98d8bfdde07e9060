/* Stand-ins: instead of a kernel's result, values that are derived from what it
 * may read go to where it may write. The same input gives the same values, so
 * stale, misordered or overlapping data shows in what the program copies back.
 */
#ifndef SIM_STANDIN_H
#define SIM_STANDIN_H

#include <cuda.h>

#include "code.h"

struct op;

/* The memory that an address points into, from there to the end, as the program
 * knows it: a pool under the program is asked where its block ends. The lock
 * may have been dropped. Size 0 if it is no memory of a device. */
struct span standin_span(CUdeviceptr addr);
/* A hash of a launch's name, shape, and arguments that are no addresses. */
uint64_t standin_scalars(const struct code *code,
			 const struct sim_launch *shape, void **args);
/* What a launch touches of the memory of its i-th use; size 0 if nothing. */
struct span standin_reads(const struct op *op, size_t i);
struct span standin_writes(const struct op *op, size_t i);
/* Runs in place of the kernel. The lock is not held. */
CUresult standin_run(const struct op *op);

#endif
