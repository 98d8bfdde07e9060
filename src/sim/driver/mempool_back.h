/* What pools give back to their device. All calls need the lock. */
#ifndef SIM_MEMPOOL_BACK_H
#define SIM_MEMPOOL_BACK_H

#include <stdbool.h>

#include "mempool.h"

/* Counts a block of a pool as one that the program has, or no more. */
void mempool_count_live(struct block *block, bool live);
/* Whether a block may have been written to: see device_free(). */
bool mempool_has_used(const struct block *block);
/* An idle block counts as used no more. */
void mempool_uncount(struct block *block);
/* No idle block of the pool counts as used any more. */
void mempool_recount(struct mempool *pool);
/* The pool is short: it gives back all that it may. */
void mempool_give_back(struct mempool *pool);
/* What mempool_settle() does, for one pool. It may end with that. */
void mempool_settle_one(struct mempool *pool);
/* Ends a pool that was destroyed, if it is empty. */
void mempool_end_empty(struct mempool *pool);

#endif
