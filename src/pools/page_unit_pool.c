/* Requests are rounded up to whole pages; idle blocks wait in bins and serve
 * requests of exactly their span. With slack, a block may serve a smaller
 * request. The spans of fresh blocks are then multiples of the largest power of
 * two that the slack allows, so that the blocks of a job whose sizes vary fit
 * each other's requests.
 *
 * The policy is that of RAF's page_unit_pool (awslabs/raf,
 * src/memory_pool/page_unit_pool), written anew. */
#include "bins.h"

static bool page_unit_pool_open(struct mnm_pool *pool,
				const struct mnm_pool_options *options)
{
	pool->classes.unit = options->page_size;
	pool->classes.divisions = options->size_classes;
	return true;
}

static size_t page_unit_pool_span(const struct mnm_pool *pool, size_t size,
				  size_t slack)
{
	size_t span = mnm_size_class_span(&pool->classes, size), step, roomy;

	if (slack < pool->classes.unit)
		return span;
	step = (size_t)1 << (63 - __builtin_clzl(slack));
	roomy = (span + step - 1) & ~(step - 1);
	return roomy >= span ? roomy : span;
}

const struct mnm_pool_ops page_unit_pool = {
	.name = "page_unit_pool",
	.size = sizeof(struct binned_pool),
	.open = page_unit_pool_open,
	.close = bins_close,
	.span = page_unit_pool_span,
	.alloc = bins_alloc,
	.free = bins_free,
	.alloc_batch = bins_alloc_batch,
	.free_batch = bins_free_batch,
	.trim = bins_trim,
};
