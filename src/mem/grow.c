#include "grow.h"

#include <pthread.h>

#include <cuda.h>

#include "config.h"
#include "context/context.h"
#include "heap/grow.h"
#include "heap/placed.h"
#include "heap/pools.h"
#include "heap/reclaim.h"
#include "look.h"
#include "order/fence.h"
#include "tcache/tcache.h"

/* Other threads may take what a request has made the pool grow by. Half of the
 * tries are made freely. */
enum { TRIES_MOST = 8, TRIES_FREE = TRIES_MOST / 2 };

/* The active pool, if it places blocks, with something checked out, so that it
 * does not end; and the span of the request. */
static struct pool *pool_held(struct heap *heap,
			      const struct mem_request *request, size_t *span)
{
	struct context *context = heap->context;
	struct pool *pool = NULL;

	context_enter(context);
	if (context_serves(context))
		pool = pools_active(heap, config_current());
	if (pool && !pool_places(pool))
		pool = NULL;
	*span = pool ? pool->view.ops->span(&pool->view, request->size, 0) : 0;
	if (!*span)
		pool = NULL;
	if (pool)
		pool_checkout(pool, 0);
	context_leave(context);
	return pool;
}

/* If the pool was swapped out meanwhile, nobody asks it for memory any more. */
static void pool_let(struct pool *pool)
{
	struct context *context = pool->heap->context;
	struct device *device = pool->heap->device;
	bool retired;

	pthread_mutex_lock(&context->lock);
	retired = pool->retired;
	if (retired)
		placed_trim(pool, SIZE_MAX);
	pool_checkin(pool, 0);
	pthread_mutex_unlock(&context->lock);
	if (retired)
		reclaim_request(device);
}

/* Looks among what is free once all of it is joined; after a fence if that is
 * what it takes. */
static enum mnm_answer look_joined(struct heap *heap, uint64_t *addr,
				   const struct mem_request *request,
				   enum counter how)
{
	enum mnm_answer answer = pool_look_joined(heap, request, how, addr);

	if (answer == MNM_UNSAFE && !request->restricted &&
	    fence_wanted(heap->device))
		answer = pool_look_joined(heap, request, how, addr);
	return answer;
}

/* Memory that lies apart may not be used now if that which lies together may
 * not. */
static enum mnm_growth rule_for(enum mnm_answer answer, bool least)
{
	if (answer == MNM_UNSAFE)
		return least ? MNM_GROW_LEAST_FRESH : MNM_GROW_FRESH;
	return least ? MNM_GROW_LEAST : MNM_GROW_FREELY;
}

enum mem_answer mem_grow(struct heap *heap, uint64_t *addr,
			 const struct mem_request *request, bool pressed,
			 int *result)
{
	enum counter how = COUNTER_hits;
	enum mnm_answer answer;
	struct pool *pool;
	size_t span;

	*result = CUDA_SUCCESS;
	for (int i = 0; i < TRIES_MOST; i++) {
		answer = look_joined(heap, addr, request, how);
		if (answer == MNM_HIT) {
			tcache_attach(heap->context);
			return MEM_DONE;
		}
		pool = pool_held(heap, request, &span);
		if (!pool)
			return MEM_PASS;
		*result =
			heap_grow(heap, pool, span,
				  rule_for(answer, pressed || i >= TRIES_FREE),
				  pressed, i && answer == MNM_UNSAFE);
		pool_let(pool);
		if (*result)
			return MEM_DONE;
		how = COUNTER_misses;
	}
	*result = CUDA_ERROR_OUT_OF_MEMORY;
	return MEM_DONE;
}
