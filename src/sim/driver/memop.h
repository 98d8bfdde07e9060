#ifndef SIM_MEMOP_H
#define SIM_MEMOP_H

#include <stddef.h>

#include <cuda.h>

struct op;

/* Checks a batch and makes its operation, with a copy of it. */
CUresult memop_op(const CUstreamBatchMemOpParams *parts, unsigned count,
		  struct op **op);
/* Bytes of the value that an operation of a batch writes or waits for; 0 if it
 * does neither. */
size_t memop_size(const CUstreamBatchMemOpParams *part);

#endif
