/* Small requests are rounded up to whole pages, those above 2 MiB to multiples
 * of 2 MiB, as the driver takes memory in such steps. Idle blocks wait in bins
 * and serve requests of exactly their span. A fresh block is no larger than
 * that, however much slack there is.
 *
 * The policy is that of MXNet's pool Naive, written anew. */
#include "bins.h"

enum { LARGE = 2 << 20 };

static bool naive_pool_open(struct mnm_pool *pool,
			    const struct mnm_pool_options *options)
{
	pool->classes.unit = options->page_size;
	pool->classes.coarse = LARGE;
	pool->headroom = options->headroom;
	return true;
}

const struct mnm_pool_ops naive_pool = {
	.name = "naive_pool",
	.size = sizeof(struct binned_pool),
	.open = naive_pool_open,
	.close = bins_close,
	.span = bins_span,
	.alloc = bins_alloc,
	.free = bins_free,
	.alloc_batch = bins_alloc_batch,
	.free_batch = bins_free_batch,
	.trim = bins_trim,
};
