/* The pools of one heap: the active one, and retired ones that still have
 * blocks with the program. The context's lock is held around each call, except
 * for pool_new, pool_close, and where something else is said. */
#ifndef MNM_POOLS_H
#define MNM_POOLS_H

#include "context/context.h"
#include "pools/pool.h"

/* The choice, or the default in its place if its pool is switched off. */
int choice_serving(int choice);

/* A new pool of a choice, not yet in use, or NULL without memory; and the end
 * of a pool that is not in use. */
struct pool *pool_new(int choice, const struct config *config);
void pool_close(struct pool *pool);

/* The pool is swapped out. It ends with its last live block; the next request
 * opens another one if there is none in its place. */
void pool_retire(struct pool *pool);

/* The active pool, opened at first use, or NULL without memory. */
struct pool *pools_active(struct heap *heap, const struct config *config);

/* Makes `fresh` the active pool and retires the one before, whose idle blocks
 * wait in heap->pending. Returns the bytes of these. A retired pool without
 * live blocks is closed. If fresh is NULL, as there was no memory for it, the
 * next request opens the pool. */
size_t pools_swap(struct heap *heap, struct pool *fresh);

/* Moves idle blocks of at least so many bytes in all to heap->pending, or every
 * one if that is not enough. Returns their bytes. The calling thread's cache
 * may keep what need not go. */
size_t pools_trim(struct heap *heap, size_t least);

/* Moves one idle block of that span from the active pool to heap->pending.
 * Returns false if it has none. */
bool pools_trim_one(struct heap *heap, size_t span);

/* Counts a block of span bytes that is with the program, or on its way to
 * it. */
void pool_checkout(struct pool *pool, size_t span);

/* Takes that back: the block came back, or there was none. The last block ends
 * a retired pool. */
void pool_checkin(struct pool *pool, size_t span);

/* Whether a freed block may go back to its pool: a retired one takes back only
 * what is placed in its regions. */
bool pool_may_keep(const struct pool *pool, const struct block *block);

/* The pool takes a freed block, which has its stamp, and whose record may end.
 * Returns false if the pool does not take it. */
bool pool_keep(struct pool *pool, struct block *block);

/* The memory of a placed block, which its pool counts as live, is never used
 * again. */
void pools_bury(struct block *block);

/* Looks for memory in a pool that keeps some, see pool->view.ops->alloc. */
enum mnm_answer pool_find(struct pool *pool, const struct mnm_request *request,
			  struct block **block);

/* A freed block, which its pool counts as live, goes back to the pool with its
 * stamp, or waits in heap->pending. */
void pools_put(struct block *block);

/* Under the context's lock. The driver has taken the memory of a block that its
 * pool counts as live. */
void block_forget(struct block *block);

/* Puts back a list of blocks of one key, which is not empty, as pools_put does
 * with one. Takes blocks of a key, to be checked out, as
 * pool->view.ops->alloc_batch does. */
void pools_free_batch(const struct block_list *list);
struct block_list pools_alloc_batch(struct pool *pool,
				    const struct mnm_request *request,
				    size_t most);

/* For a freed block which its pool counts as live. The first stamps it anew and
 * puts it back into its pool if that takes it; else it does as the second. The
 * second puts it into heap->pending, or forgets it if the context is dead. Both
 * take and drop the context's lock. */
void pools_take_back(struct block *block);
void pools_send_back(struct block *block);

/* The context is dead, as the driver has taken its memory: drops all that is
 * known of that memory. Takes and drops the context's lock. */
void pools_forget(struct context *context);

/* The driver has handed out the address of a block of this context anew, so the
 * block was given back behind our back. `live` is that block if it was live.
 * NULL means that it was idle: then a reset went unseen, and nothing that the
 * context holds idle is reused. Takes and drops the context's lock. */
void pools_correct(struct context *context, struct block *live);

/* The driver has handed these addresses out. So the contexts of regions that
 * have some of them have ended unseen: nothing that they hold idle is reused.
 * Nobody who calls this uses such a context (context_use). */
void pools_correct_over(uint64_t addr, size_t bytes);

/* The same for a live block whose record is in the index no more. This may be
 * called with the lock of another context held. Such blocks are taken off the
 * counts by blocks_oust, which takes the locks of their contexts, and by the
 * two above. */
void block_oust_later(struct block *block);
void blocks_oust(void);

#endif
