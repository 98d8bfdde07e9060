#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "block.h"

/* Makes a block, whose addr and size are set, memory of a context, or of the
 * block's pool if ctx is NULL. */
void memory_enter(struct context *ctx, struct device *dev, struct block *block,
		  enum block_kind kind);
/* Takes a block out of the list of its context or pool. */
static inline void memory_leave(struct block *block, struct block **list)
{
	if (block->prev)
		block->prev->next = block->next;
	else
		*list = block->next;
	if (block->next)
		block->next->prev = block->prev;
}
/* Whether cuMemFree may free the block. */
bool memory_frees(const struct block *block);
/* Allocates a block in a device's arena, of any kind, for a context. */
CUresult memory_alloc(struct context *ctx, struct device *dev, size_t size,
		      enum block_kind kind, struct block **block);

#endif
