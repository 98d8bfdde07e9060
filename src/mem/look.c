#include "look.h"

#include "block/block.h"
#include "config.h"
#include "heap/idle_limit.h"
#include "heap/pools.h"
#include "heap/slack.h"
#include "order/fence.h"
#include "order/stream_past.h"
#include "order/streams.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"
#include "tcache/tcache.h"

/* Under the context's lock. The number of the stream in whose order the request
 * is made; 0 if that is none. */
static unsigned int request_stream(const struct mem_request *request,
				   const struct context *context)
{
	return request->number && stream_has_number(request->number, context,
						    request->stream,
						    request->per_thread)
		       ? request->number
		       : 0;
}

/* Hands the block to the program; returns its address. Under the context's
 * lock: once that is dropped, the record may end with the context. */
static uint64_t block_lend(struct block *block,
			   const struct mem_request *request)
{
	struct pool *pool = block_pool(block);
	struct device *device = pool->heap->device;
	size_t span = pool->ops->span(pool, request->size, 0);

	if (block_mempool(block) != request->mempool) {
		mempool_leave(block);
		mempool_reserve(request->mempool, (int64_t)block->span);
		block_owner_set(block, pool, request->mempool);
	}
	block->use = request->size;
	pool_checkout(pool, block->span);
	block_unmark(block); /* the last one may have been in another order */
	block_revive(block);
	if (request->mempool)
		block_mark(block, block_addr(block), BLOCK_ORDERED);
	if (block->span > span) {
		block_mark(block, block_addr(block), BLOCK_ROOMY);
		idle_limit_checkout(device, span, block->span);
	}
	counter_sub(device, COUNTER_idle_bytes, block->span);
	device_count_alloc(device, request->size, COUNTER_hits);
	mempool_count(request->mempool, (int64_t)request->size);
	return block_addr(block);
}

/* Looks into a pool that keeps blocks, and into caches in front of it. `all`:
 * into all of them, as memory is short. */
static enum pool_answer pool_ask(struct pool *pool, size_t span, size_t slack,
				 const struct mem_request *request, bool all,
				 struct block **block)
{
	struct heap *heap = pool->heap;
	struct tcache *cache = tcache_of(heap);
	unsigned int stream = request_stream(request, heap->context);
	const struct pool_request asked = {
		.span = span,
		.slack = slack,
		.safe = atomic_load(request->restricted ? &heap->device->over
							: &heap->device->safe),
		.stream = stream,
		.behind = request->follows ? stream_behind(stream) : NULL,
		.passes = request->follows && request->passes
				  ? stream_passed(stream)
				  : NULL,
		.over = streams_over,
	};
	enum pool_answer answer;

	tcache_adopt(cache, pool);
	answer = pool->ops->alloc(pool, &asked, block);
	if (answer != POOL_HIT && tcaches_raid(heap, cache, &asked, all))
		answer = pool->ops->alloc(pool, &asked, block);
	if (answer == POOL_HIT)
		tcache_refill(cache, &asked);
	return answer;
}

enum pool_answer pool_look(struct heap *heap, const struct mem_request *request,
			   size_t slack, bool all, uint64_t *addr, size_t *span)
{
	struct context *context = heap->context;
	enum pool_answer answer = POOL_MISS;
	struct pool *pool = NULL;
	struct block *block;

	*span = 0;
	context_enter(context);
	if (context_serves(context))
		pool = pools_active(heap, config_current());
	if (pool && pool->ops->alloc)
		*span = pool->ops->span(pool, request->size, 0);
	if (*span)
		answer = pool_ask(pool, *span, slack, request, all, &block);
	if (answer == POOL_HIT)
		*addr = block_lend(block, request);
	context_leave(context);
	return answer;
}

/* Looks for a block that is larger than the request needs; `exact` is the
 * answer about blocks that are not. */
static enum pool_answer hit_slack(struct heap *heap, uint64_t *addr,
				  const struct mem_request *request,
				  size_t span, enum pool_answer exact)
{
	struct tcache *cache = tcache_of(heap);
	enum pool_answer answer;
	size_t slack, given;

	if (cache && cache->roomy.count)
		tcache_settle(cache);
	slack = span ? slack_for(heap->device, span).idle : 0;
	if (!slack)
		return exact;
	given = request->mempool
			? 0
			: tcache_alloc_slack(cache, request->size, slack, addr);
	if (given > span)
		idle_limit_checkout(heap->device, span, given);
	if (given)
		return POOL_HIT;
	answer = pool_look(heap, request, slack, true, addr, &span);
	if (answer == POOL_UNSAFE && !request->restricted &&
	    fence_ready(heap->device))
		answer = pool_look(heap, request, slack, true, addr, &span);
	return answer == POOL_MISS ? exact : answer;
}

enum pool_answer mem_look(struct heap *heap, uint64_t *addr,
			  const struct mem_request *request, size_t *span)
{
	enum pool_answer answer = POOL_MISS;

	*span = 0;
	if (!heap->keeps_blocks)
		return POOL_MISS;
	answer = pool_look(heap, request, 0, false, addr, span);
	if (answer == POOL_UNSAFE && !request->restricted &&
	    fence_ready(heap->device))
		answer = pool_look(heap, request, 0, false, addr, span);
	if (answer != POOL_HIT)
		answer = hit_slack(heap, addr, request, *span, answer);
	if (answer == POOL_HIT)
		tcache_attach(heap->context);
	return answer;
}
