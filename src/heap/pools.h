/* The pools of one heap: the active one, and those swapped out that still
 * have blocks with the program. The context's lock is held around each call,
 * the last four excepted. */
#ifndef MNM_POOLS_H
#define MNM_POOLS_H

#include "context/context.h"
#include "pools/pool.h"

/* A new pool of a row, not yet in use; NULL without memory. */
struct pool *pool_new(int row, const struct config *config);
void pool_close(struct pool *pool);

/* The active pool, opened at first use; NULL without memory. */
struct pool *pools_active(struct heap *heap, const struct config *config);

/* Makes `fresh` the active pool and retires the one before; its idle blocks
 * wait in heap->pending. Returns the bytes of these. A retired pool
 * without live blocks is closed. */
size_t pools_swap(struct heap *heap, struct pool *fresh);

/* Moves idle blocks of at least so many bytes in all to heap->pending, every
 * one if that is not enough; returns their bytes. */
size_t pools_trim(struct heap *heap, size_t least);

/* Likewise one idle block of the active pool, of that span. False: it has none.
 */
bool pools_trim_one(struct heap *heap, size_t span);

/* A block of span bytes is with the program, or on its way to it. */
void pool_checkout(struct pool *pool, size_t span);

/* It came back, or was never had. The last one ends a retired pool. */
void pool_checkin(struct pool *pool, size_t span);

/* A freed block that its pool counts as live goes back to it, with its stamp,
 * or waits in heap->pending. */
void pools_put(struct block *block);

/* As that of a list, which is not empty; and blocks of a span, on their way to
 * the program, as pool->ops->alloc_batch. */
void pools_free_batch(const struct block_list *list);
struct block_list pools_alloc_batch(struct pool *pool, size_t span, size_t most,
				    uint64_t safe);

/* A freed block that its pool counts as live goes back to it, stamped anew, or
 * waits in heap->pending. Both take and drop the context's lock. */
void pools_take_back(struct block *block);
void pools_send_back(struct block *block);

/* Drops all that is known of a dead context's memory: the driver has taken
 * it. Takes and drops the context's lock. */
void pools_forget(struct context *context);

/* The driver handed out the address of a block of this context anew: it was
 * given back behind our back. Were it idle (NULL), a reset went unseen: nothing
 * that the context holds idle is reused. Takes and drops its lock. */
void pools_correct(struct context *context, struct block *live);

#endif
