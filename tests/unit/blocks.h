/* Helpers for tests with blocks that are in the index, and blocks that are
 * not. */
#ifndef TESTS_UNIT_BLOCKS_H
#define TESTS_UNIT_BLOCKS_H

#include "block/block.h"
#include "run.h"

#define GRANULE (UINT64_C(2) << 20)

static inline struct block *entered(uint64_t addr)
{
	struct block *block = block_new(), *stale;
	uint64_t word;

	ck_assert_ptr_nonnull(block);
	ck_assert(block_enter(block, addr, &stale, &word));
	ck_assert_ptr_null(stale);
	return block;
}

static inline void removed(struct block *block)
{
	uint64_t word;

	ck_assert_ptr_eq(block_take(block_addr(block), &word), block);
	ck_assert(block_remove(block));
	block_drop(block);
}

static inline struct block *found(uint64_t addr)
{
	uint64_t word;

	return block_find(addr, &word);
}

#endif
