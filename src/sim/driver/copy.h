#ifndef SIM_COPY_H
#define SIM_COPY_H

#include <stdbool.h>

#include "op.h"

/* Checks both sides and queues the copy. Host memory that is not pinned is
 * read before an asynchronous copy returns, and written before any returns. */
CUresult copy_submit(struct copy copy, CUstream where, bool async);
/* Checks a copy of one byte or more, and tells its time. */
CUresult copy_op(struct copy copy, struct op **op, uint64_t *ns);
CUresult copy_from_3d(const CUDA_MEMCPY3D *shape, struct copy *copy);
/* One row of bytes. */
struct copy copy_flat(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
/* Whether a device can use what lies there. */
bool copy_is_visible(CUdeviceptr addr);
/* Checks that a device's copy or fill stays in live memory, and notes that it
 * is written to. CUDA_ERROR_INVALID_VALUE. */
CUresult copy_check(const char *addr, size_t bytes, bool write);

#endif
