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

#include <mnm/pool.h>

struct bin;

/* A pool with bins. */
struct binned_pool {
	struct mnm_pool pool; /* has to be first */
	struct bin *bins;     /* by key, the smallest first */
	size_t count, room;
};

/* The functions of struct mnm_pool_ops, but for open, which is a pool's own, as
 * may be its span: this one makes no use of slack. */
void bins_close(struct mnm_pool *pool);
size_t bins_span(const struct mnm_pool *pool, size_t size, size_t slack);
enum mnm_answer bins_alloc(struct mnm_pool *pool,
			   const struct mnm_request *request,
			   struct mnm_block **block);
bool bins_free(struct mnm_pool *pool, struct mnm_block *block);
struct mnm_block_list bins_alloc_batch(struct mnm_pool *pool,
				       const struct mnm_request *request,
				       size_t most);
bool bins_free_batch(struct mnm_pool *pool, const struct mnm_block_list *list);
struct mnm_block *bins_trim(struct mnm_pool *pool, size_t bytes);

#endif
