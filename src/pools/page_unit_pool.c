/* Requests are rounded up to whole pages; idle blocks wait in a queue for
 * each span, oldest first, and serve requests of exactly that span. No block
 * is split or merged: each is one allocation of the driver's.
 *
 * The policy is that of RAF's page_unit_pool (awslabs/raf,
 * src/memory_pool/page_unit_pool), written anew. */
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "pool.h"

/* The idle blocks of one span. The oldest free is the first to be safe, so
 * that a look at the head is enough. */
struct bin {
	size_t span; /* bytes, the key */
	struct block *head, *tail;
	UT_hash_handle hh;
};

struct page_unit_pool {
	struct pool pool;
	struct bin *bins;
};

static struct page_unit_pool *self(struct pool *pool)
{
	return (struct page_unit_pool *)pool;
}

static bool page_unit_pool_open(struct pool *pool, const struct config *config)
{
	pool->unit = config->page_size;
	return true;
}

static void page_unit_pool_close(struct pool *pool)
{
	struct bin *bin, *next;

	HASH_ITER (hh, self(pool)->bins, bin, next) {
		HASH_DEL(self(pool)->bins, bin);
		free(bin);
	}
}

static size_t page_unit_pool_span(const struct pool *pool, size_t size)
{
	size_t mask = pool->unit - 1;

	return size > SIZE_MAX - mask ? 0 : (size + mask) & ~mask;
}

static enum pool_answer page_unit_pool_alloc(struct pool *pool, size_t span,
					     uint64_t safe,
					     struct block **block)
{
	struct bin *bin;

	HASH_FIND(hh, self(pool)->bins, &span, sizeof(span), bin);
	if (!bin || !bin->head)
		return POOL_MISS;
	if (bin->head->epoch >= safe)
		return POOL_UNSAFE;
	*block = bin->head;
	bin->head = bin->head->next;
	return POOL_HIT;
}

static struct bin *bin_open(struct page_unit_pool *pool, size_t span)
{
	struct bin *bin = calloc(1, sizeof(*bin));

	if (!bin)
		return NULL;
	bin->span = span;
	HASH_ADD(hh, pool->bins, span, sizeof(bin->span), bin);
	if (!bin->hh.tbl) { /* no memory for the hash's own tables */
		free(bin);
		return NULL;
	}
	return bin;
}

static bool page_unit_pool_free(struct pool *pool, struct block *block)
{
	struct bin *bin;

	HASH_FIND(hh, self(pool)->bins, &block->span, sizeof(bin->span), bin);
	if (!bin)
		bin = bin_open(self(pool), block->span);
	if (!bin)
		return false;
	block->next = NULL;
	if (bin->head)
		bin->tail->next = block;
	else
		bin->head = block;
	bin->tail = block;
	return true;
}

static struct block *page_unit_pool_trim(struct pool *pool)
{
	struct block *list = NULL;
	struct bin *bin, *next;

	HASH_ITER (hh, self(pool)->bins, bin, next) {
		if (!bin->head)
			continue;
		bin->tail->next = list;
		list = bin->head;
		bin->head = NULL;
	}
	return list;
}

const struct pool_ops page_unit_pool = {
	.name = "page_unit_pool",
	.size = sizeof(struct page_unit_pool),
	.open = page_unit_pool_open,
	.close = page_unit_pool_close,
	.span = page_unit_pool_span,
	.alloc = page_unit_pool_alloc,
	.free = page_unit_pool_free,
	.trim = page_unit_pool_trim,
};
