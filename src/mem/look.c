#include "look.h"

#include "block/block.h"
#include "config.h"
#include "heap/idle_limit.h"
#include "heap/planned.h"
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
			   const struct mem_request *request, enum counter how)
{
	struct pool *pool = block_pool(block);
	struct device *device = pool->heap->device;
	size_t span = pool->view.ops->span(&pool->view, request->size, 0);

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
	if (block->span > span && !pool_places(pool)) {
		block_mark(block, block_addr(block), BLOCK_ROOMY);
		idle_limit_checkout(device, span, block->span);
	}
	planned_lend(pool, block, !request->mempool && !request->number);
	counter_sub(device, COUNTER_idle_bytes, block->span);
	device_count_alloc(device, request->size, how);
	mempool_count(request->mempool, (int64_t)request->size);
	return block_addr(block);
}

/* Under the context's lock. What a request asks of the pools of a heap. */
static struct mnm_request request_asked(const struct heap *heap, size_t span,
					size_t slack,
					const struct mem_request *request)
{
	unsigned int stream = request_stream(request, heap->context);

	return (struct mnm_request){
		.span = span,
		.slack = slack,
		.safe = atomic_load(request->restricted ? &heap->device->over
							: &heap->device->safe),
		.stream = stream,
		.behind = request->follows ? stream_behind(stream) : NULL,
		.passes = request->follows && request->passes
				  ? stream_passed(stream)
				  : NULL,
		.over = (const uint64_t *)streams_over,
	};
}

/* Looks into a pool that keeps blocks, and into caches in front of it. `all`:
 * into all of them, as memory is short. */
static enum mnm_answer pool_ask(struct pool *pool, size_t span, size_t slack,
				const struct mem_request *request, bool all,
				struct block **block)
{
	struct heap *heap = pool->heap;
	struct tcache *cache = tcache_of(heap);
	const struct mnm_request asked =
		request_asked(heap, span, slack, request);
	enum mnm_answer answer;

	tcache_adopt(cache, pool);
	answer = pool_find(pool, &asked, block);
	if (answer != MNM_HIT && tcaches_raid(heap, cache, &asked, all))
		answer = pool_find(pool, &asked, block);
	if (answer == MNM_HIT)
		tcache_refill(cache, &asked);
	return answer;
}

enum mnm_answer pool_look(struct heap *heap, const struct mem_request *request,
			  size_t slack, bool all, uint64_t *addr, size_t *span)
{
	struct context *context = heap->context;
	enum mnm_answer answer = MNM_MISS;
	struct pool *pool = NULL;
	struct block *block;

	*span = 0;
	if (request_is_whole(heap, request))
		return MNM_MISS;
	context_enter(context);
	if (context_serves(context))
		pool = pools_active(heap, config_current());
	if (pool && pool_ops_keep(pool->view.ops))
		*span = pool->view.ops->span(&pool->view, request->size, 0);
	if (*span)
		answer = pool_ask(pool, *span, slack, request, all, &block);
	if (answer == MNM_HIT)
		*addr = block_lend(block, request, COUNTER_hits);
	context_leave(context);
	blocks_oust();
	return answer;
}

enum mnm_answer pool_look_joined(struct heap *heap,
				 const struct mem_request *request,
				 enum counter how, uint64_t *addr)
{
	struct context *context = heap->context;
	enum mnm_answer answer = MNM_MISS;
	struct mnm_request asked;
	struct pool *pool;
	struct block *block;
	size_t span = 0;

	context_enter(context);
	pool = context_serves(context) ? heap->pools : NULL;
	if (pool && !pool->retired && pool_places(pool))
		span = pool->view.ops->span(&pool->view, request->size, 0);
	if (span) {
		tcaches_flush(heap);
		asked = request_asked(heap, span, 0, request);
		answer = pool_find(pool, &asked, &block);
	}
	/* What was freed before is reused, even if a page has moved for it. */
	if (answer == MNM_HIT)
		*addr = block_lend(
			block, request,
			block->epoch == MNM_EPOCH_NEVER ? how : COUNTER_hits);
	context_leave(context);
	blocks_oust();
	return answer;
}

/* Looks for a block that is larger than the request needs; `exact` is the
 * answer about blocks that are not. */
static enum mnm_answer hit_slack(struct heap *heap, uint64_t *addr,
				 const struct mem_request *request, size_t span,
				 enum mnm_answer exact)
{
	struct tcache *cache = tcache_of(heap);
	enum mnm_answer answer;
	size_t slack, given;

	if (heap->places_blocks)
		return exact;
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
		return MNM_HIT;
	answer = pool_look(heap, request, slack, true, addr, &span);
	if (answer == MNM_UNSAFE && !request->restricted &&
	    fence_ready(heap->device))
		answer = pool_look(heap, request, slack, true, addr, &span);
	return answer == MNM_MISS ? exact : answer;
}

enum mnm_answer mem_look(struct heap *heap, uint64_t *addr,
			 const struct mem_request *request, size_t *span)
{
	enum mnm_answer answer = MNM_MISS;

	*span = 0;
	if (!heap->keeps_blocks)
		return MNM_MISS;
	/* What its own stream has freed is a choice without a fence. */
	if (heap->places_blocks && !request->restricted && !request->number)
		fence_ahead(heap->device,
			    atomic_load_explicit(&heap->placed_epoch,
						 memory_order_relaxed));
	answer = pool_look(heap, request, 0, false, addr, span);
	if (answer == MNM_UNSAFE && !request->restricted &&
	    fence_ready(heap->device))
		answer = pool_look(heap, request, 0, false, addr, span);
	if (answer != MNM_HIT)
		answer = hit_slack(heap, addr, request, *span, answer);
	if (answer == MNM_HIT)
		tcache_attach(heap->context);
	return answer;
}
