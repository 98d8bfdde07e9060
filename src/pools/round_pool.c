/* Requests are rounded up to powers of two, and from a bound on to multiples of
 * that bound, so that a job whose sizes vary has few spans. Idle blocks wait in
 * bins and serve requests of exactly their span. A fresh block is no larger
 * than that, however much slack there is.
 *
 * The policy is that of MXNet's pool Round, written anew. There the multiples
 * are rows of a table, and a request past its end was read beyond it; here they
 * are computed, whatever the size. */
#include "bins.h"

static bool round_pool_open(struct mnm_pool *pool,
			    const struct mnm_pool_options *options)
{
	size_t bound = (size_t)1 << options->round_cutoff;

	pool->classes.unit = options->page_size;
	pool->classes.divisions = 1;
	pool->classes.coarse =
		bound > options->page_size ? bound : options->page_size;
	pool->headroom = options->headroom;
	return true;
}

const struct mnm_pool_ops round_pool = {
	.name = "round_pool",
	.size = sizeof(struct binned_pool),
	.open = round_pool_open,
	.close = bins_close,
	.span = bins_span,
	.alloc = bins_alloc,
	.free = bins_free,
	.alloc_batch = bins_alloc_batch,
	.free_batch = bins_free_batch,
	.trim = bins_trim,
};
