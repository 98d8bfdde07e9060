/* Memory in the order of a stream of the current context, with CUDA's
 * results. */
#ifndef MNM_API_MEMORY_H
#define MNM_API_MEMORY_H

#include "api.h"

CUresult memory_alloc_in(CUdeviceptr *ptr, size_t size, CUstream stream);
CUresult memory_free_in(CUdeviceptr ptr, CUstream stream);

#endif
