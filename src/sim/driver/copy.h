#ifndef SIM_COPY_H
#define SIM_COPY_H

#include <stdbool.h>

#include "op.h"

/* Checks both sides and queues the copy. Outside of captures, pageable host
 * memory is read before even an asynchronous copy returns, and written before
 * any copy returns. */
CUresult copy_submit(struct copy copy, CUstream where, bool async);
/* Checks a copy of one byte or more; makes its operation and sets its time. */
CUresult copy_op(struct copy copy, struct op **op, uint64_t *ns);
CUresult copy_from_3d(const CUDA_MEMCPY3D *shape, struct copy *copy);
/* A copy of one row of bytes. */
struct copy copy_flat(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
/* Whether a device can use the memory at addr. */
bool copy_is_visible(CUdeviceptr addr);
/* If the bytes are device memory, checks that they are live and may be
 * accessed, and notes a write. CUDA_ERROR_INVALID_VALUE if not. */
CUresult copy_check(const char *addr, size_t bytes, bool write);

#endif
