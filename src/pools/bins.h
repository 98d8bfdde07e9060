/* Bins: where a pool keeps its idle blocks. They wait in a queue for each span,
 * the oldest first, and serve requests of exactly that span, or smaller ones
 * within the slack of these. No block is split or merged: each is one
 * allocation of the driver's. What was freed in the order of a stream waits in
 * a queue of its own, where a request in that stream looks first.
 *
 * Where memory is short the largest blocks go back first, as fewer calls then
 * make the same room. */
#ifndef MNM_BINS_H
#define MNM_BINS_H

#include "pool.h"

struct bin;

/* A pool with bins. */
struct binned_pool {
	struct pool pool; /* has to be first */
	struct bin *bins; /* by key, the smallest first */
	size_t count, room;
};

/* The functions of struct pool_ops, but for open, which is a pool's own, as may
 * be its span: this one makes no use of slack. */
void bins_close(struct pool *pool);
size_t bins_span(const struct pool *pool, size_t size, size_t slack);
enum pool_answer bins_alloc(struct pool *pool,
			    const struct pool_request *request,
			    struct block **block);
bool bins_free(struct pool *pool, struct block *block);
struct block_list bins_alloc_batch(struct pool *pool,
				   const struct pool_request *request,
				   size_t most);
bool bins_free_batch(struct pool *pool, const struct block_list *list);
struct block *bins_trim(struct pool *pool, size_t bytes);

#endif
