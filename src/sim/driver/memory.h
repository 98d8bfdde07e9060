#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "block.h"

/* A block in a context: the accounting of every kind of device memory. */
CUresult memory_alloc(struct context *ctx, size_t size, enum block_kind kind,
		      struct block **block);

#endif
