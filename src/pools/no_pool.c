#include "pool.h"

static size_t no_pool_span(const struct pool *pool, size_t size)
{
	(void)pool;
	return size;
}

static enum pool_answer no_pool_alloc(struct pool *pool, size_t span,
				      uint64_t safe, struct block **block)
{
	(void)pool;
	(void)span;
	(void)safe;
	(void)block;
	return POOL_MISS;
}

static bool no_pool_free(struct pool *pool, struct block *block)
{
	(void)pool;
	(void)block;
	return false;
}

static struct block *no_pool_trim(struct pool *pool)
{
	(void)pool;
	return NULL;
}

const struct pool_ops no_pool = {
	.name = "no_pool",
	.size = sizeof(struct pool),
	.span = no_pool_span,
	.alloc = no_pool_alloc,
	.free = no_pool_free,
	.trim = no_pool_trim,
};
