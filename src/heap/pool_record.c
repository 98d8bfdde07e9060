/* The records of pools, which outlive them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pools.h"

/* Records of pools that were closed, linked by next. */
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *spares;

static struct pool *spare_take(const struct mnm_pool_ops *ops)
{
	struct pool **link = &spares, *pool;

	pthread_mutex_lock(&spares_lock);
	while (*link && (*link)->view.ops != ops)
		link = &(*link)->next;
	pool = *link;
	if (pool)
		*link = pool->next;
	pthread_mutex_unlock(&spares_lock);
	return pool;
}

static void spare_give(struct pool *pool)
{
	pthread_mutex_lock(&spares_lock);
	pool->next = spares;
	spares = pool;
	pthread_mutex_unlock(&spares_lock);
}

/* The first place in the memory where a record may begin. */
static void *record_place(char *memory)
{
	size_t past = (uintptr_t)memory % POOL_ALIGN;

	return past ? memory + (POOL_ALIGN - past) : memory;
}

/* A record is never freed. The program's own malloc may come without an
 * aligned one. */
static struct pool *record_fresh(size_t size)
{
	void *memory = calloc(1, size + POOL_ALIGN - 1);

	return record_place(memory);
}

/* A record that is blank but for its heap. */
static struct pool *record_new(const struct mnm_pool_ops *ops)
{
	const size_t kept = sizeof(((struct pool *)NULL)->heap);
	const size_t size = offsetof(struct pool, view) + ops->size;
	struct pool *pool = spare_take(ops);

	if (!pool)
		return record_fresh(size);
	memset((char *)pool + kept, 0, size - kept);
	return pool;
}

struct pool *pool_new(int choice, const struct config *config)
{
	const struct mnm_pool_ops *ops = pool_ops_at(choice);
	const struct mnm_pool_options options = pool_options(config);
	struct pool *pool = record_new(ops);

	if (!pool)
		return NULL;
	pool->view.ops = ops;
	pool->view.backing = pool_choice_backing(choice);
	if (!ops->open || ops->open(&pool->view, &options))
		return pool;
	spare_give(pool);
	return NULL;
}

void pool_close(struct pool *pool)
{
	if (pool->view.ops->close)
		pool->view.ops->close(&pool->view);
	spare_give(pool);
}
