#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "block.h"

/* Makes what is at block->addr, of block->size, memory of a context. */
void memory_enter(struct context *ctx, struct device *dev, struct block *block,
		  enum block_kind kind);
/* Whether cuMemFree takes it. */
bool memory_frees(const struct block *block);
/* A block of a device in a context: the accounting of every kind of it. */
CUresult memory_alloc(struct context *ctx, struct device *dev, size_t size,
		      enum block_kind kind, struct block **block);

#endif
