#include <mnm/pool.h>

static size_t no_pool_span(const struct mnm_pool *pool, size_t size,
			   size_t slack)
{
	(void)pool;
	(void)slack;
	return size;
}

const struct mnm_pool_ops no_pool = {
	.name = "no_pool",
	.size = sizeof(struct mnm_pool),
	.span = no_pool_span,
};
