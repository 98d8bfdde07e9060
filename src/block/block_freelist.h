/* Spare records of blocks that a thread keeps for itself, so that threads don't
 * write to one cache line: as block_new and block_drop, without a call. */
#ifndef MNM_BLOCK_OWN_H
#define MNM_BLOCK_OWN_H

#include "block.h"

enum { BLOCK_OWN_MOST = 128 };

/* Linked by next. Only these and block.c change them. */
extern __thread struct block *block_own;
extern __thread int block_own_count;

static inline void block_own_push(struct block *block)
{
	block->next = block_own;
	block_own = block;
	block_own_count++;
}

static inline struct block *block_own_pop(void)
{
	struct block *block = block_own;

	block_own = block->next;
	block_own_count--;
	return block;
}

/* Whether one more may stay. A thread that has none may not keep any. */
static inline bool block_own_takes(void)
{
	return block_own_count > 0 && block_own_count < BLOCK_OWN_MOST;
}

#endif
