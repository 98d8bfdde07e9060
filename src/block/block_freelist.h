/* Spare records of blocks that a thread keeps for itself, so that threads don't
 * write to one cache line. They do what block_new and block_drop do, without a
 * call. */
#ifndef MNM_BLOCK_FREELIST_H
#define MNM_BLOCK_FREELIST_H

#include "block.h"

enum { BLOCK_FREELIST_MOST = 128 };

/* Linked by next. Only the functions below and block.c change these. */
extern __thread struct block *block_freelist;
extern __thread int block_freelist_count;

static inline void block_freelist_push(struct block *block)
{
	block->next = block_freelist;
	block_freelist = block;
	block_freelist_count++;
}

static inline struct block *block_freelist_pop(void)
{
	struct block *block = block_freelist;

	block_freelist = block->next;
	block_freelist_count--;
	return block;
}

/* Whether one more record may stay. A thread that has none may not keep any. */
static inline bool block_freelist_takes(void)
{
	return block_freelist_count > 0 &&
	       block_freelist_count < BLOCK_FREELIST_MOST;
}

#endif
