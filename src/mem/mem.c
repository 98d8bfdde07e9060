/* Requests. The frees of mem.h are in mem_free.c. */
#include <cuda.h>

#include "cuda/backing.h"
#include "block/block.h"
#include "heap/idle_limit.h"
#include "tcache/tcache.h"
#include "order/capture.h"
#include "config.h"
#include "tcache/pass_through.h"
#include "order/fence.h"
#include "heap/fresh.h"
#include "heap/reclaim.h"
#include "order/pinned_order.h"
#include "heap/limit.h"
#include "refusal.h"
#include "mem.h"
#include "heap/pools.h"
#include "heap/slack.h"
#include "heap/acquire.h"
#include "mem_log.h"
#include "stats/counter.h"

/* The block, which nobody else knows to be live, serves a request of span
 * bytes. If it is of another span, its free is not on the fast path. */
static void block_lent(struct block *block, size_t span)
{
	if (block->span == span)
		return;
	block_mark(block, block_addr(block), BLOCK_ROOMY);
	idle_limit_checkout(block->pool->heap->device, span, block->span);
}

/* Hands the block to the program; returns its address. Under the context's
 * lock: once that is dropped, the record may end with the context. */
static uint64_t block_lend(struct block *block, size_t size)
{
	struct pool *pool = block->pool;
	struct device *device = pool->heap->device;

	block->use = size;
	pool_checkout(pool, block->span);
	block_revive(block);
	block_lent(block, pool->ops->span(pool, size, 0));
	counter_sub(device, COUNTER_idle_bytes, block->span);
	device_count_alloc(device, size, COUNTER_hits);
	return block_addr(block);
}

/* Looks into a pool that keeps blocks, and into caches in front of it. `all`:
 * into all of them, as memory is short. */
static enum pool_answer pool_ask(struct pool *pool, size_t span, size_t slack,
				 bool all, struct block **block)
{
	struct heap *heap = pool->heap;
	struct tcache *cache = tcache_of(heap);
	const struct pool_request request = {
		.span = span,
		.slack = slack,
		.safe = atomic_load(&heap->device->safe),
	};
	enum pool_answer answer;

	tcache_adopt(cache, pool);
	answer = pool->ops->alloc(pool, &request, block);
	if (answer != POOL_HIT && tcaches_raid(heap, cache, span, slack, all))
		answer = pool->ops->alloc(pool, &request, block);
	if (answer == POOL_HIT)
		tcache_refill(cache, &request);
	return answer;
}

/* One look into the active pool, for a block with up to `slack` bytes to spare.
 * *span is what the request needs, or 0 if no block that is kept can serve
 * it. */
static enum pool_answer pool_look(struct heap *heap, size_t size, size_t slack,
				  bool all, uint64_t *addr, size_t *span)
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
		*span = pool->ops->span(pool, size, 0);
	if (*span)
		answer = pool_ask(pool, *span, slack, all, &block);
	if (answer == POOL_HIT)
		*addr = block_lend(block, size);
	context_leave(context);
	return answer;
}

/* Looks for a block that is larger than the request needs; `exact` is the
 * answer about blocks that are not. */
static enum pool_answer hit_slack(struct heap *heap, uint64_t *addr,
				  size_t size, size_t span,
				  enum pool_answer exact)
{
	size_t slack = span ? slack_for(heap->device, span).idle : 0;
	enum pool_answer answer;
	struct block *block;

	if (!slack)
		return exact;
	block = tcache_alloc_slack(tcache_of(heap), size, slack, addr);
	if (block) {
		block_lent(block, span);
		return POOL_HIT;
	}
	answer = pool_look(heap, size, slack, true, addr, &span);
	if (answer == POOL_UNSAFE && fence_ready(heap->device))
		answer = pool_look(heap, size, slack, true, addr, &span);
	return answer == POOL_MISS ? exact : answer;
}

/* *span is set as by pool_look. */
static enum pool_answer mem_look(struct heap *heap, uint64_t *addr, size_t size,
				 size_t *span)
{
	enum pool_answer answer = POOL_MISS;

	*span = 0;
	if (!heap->keeps_blocks)
		return POOL_MISS;
	answer = pool_look(heap, size, 0, false, addr, span);
	if (answer == POOL_UNSAFE && fence_ready(heap->device))
		answer = pool_look(heap, size, 0, false, addr, span);
	if (answer != POOL_HIT)
		answer = hit_slack(heap, addr, size, *span, answer);
	if (answer == POOL_HIT)
		tcache_attach(heap->context);
	return answer;
}

/* The context that a request is for, or NULL if the request is CUDA's. */
static struct context *context_of_request(void)
{
	struct context *context = config_once() ? context_current() : NULL;

	return context && !context->device->lost ? context : NULL;
}

/* The fast path may serve after all, now that the current context is known. */
static bool tcache_serves(struct context *context, size_t size, uint64_t *addr)
{
	enum fast done;

	if (tcache_current->context != context)
		return false;
	done = tcache_alloc(tcache_current, size, addr);
	if (done == FAST_LOOK)
		fast_look(tcache_current);
	return done != FAST_NOT ||
	       tcache_alloc_divided(tcache_current, size, addr);
}

enum mem_answer mem_hit(uint64_t *addr, size_t size)
{
	struct context *context = context_of_request();
	size_t span;

	if (context && tcache_serves(context, size, addr))
		return MEM_DONE;
	if (!context || mem_look(&context->heap, addr, size, &span) != POOL_HIT)
		return MEM_PASS;
	mem_log_request(context->device, size, *addr, 0);
	return MEM_DONE;
}

/* The pool that a fresh block will belong to, and the bytes that it will take.
 * NULL if the request is CUDA's. */
static struct pool *pool_order(struct heap *heap, size_t size, size_t slack,
			       size_t *span)
{
	struct context *context = heap->context;
	struct pool *pool = NULL;

	context_enter(context);
	if (context_serves(context))
		pool = pools_active(heap, config_current());
	*span = pool ? pool->ops->span(pool, size, slack) : 0;
	if (*span)
		pool_checkout(pool, *span);
	if (*span)
		pass_through_adopt(tcache_of(heap), pool);
	context_leave(context);
	return *span ? pool : NULL;
}

static bool is_short(int result)
{
	return result == CUDA_ERROR_OUT_OF_MEMORY || result == TAKE_LIMITED;
}

/* A fresh block of `taken` bytes serves a request of span bytes. */
static void fresh_counts(struct device *device, size_t span, size_t taken,
			 uint64_t addr)
{
	uint64_t word;
	struct block *block;

	idle_limit_taken(device, span, taken);
	block = taken == span ? NULL : block_find(addr, &word);
	if (block)
		block_mark(block, addr, BLOCK_ROOMY);
}

/* Takes a fresh block from the driver. *result is that of heap_alloc, which is
 * not the last word without pressure. */
static enum mem_answer mem_fresh(struct heap *heap, uint64_t *addr, size_t size,
				 size_t span, bool pressed, int *result)
{
	size_t slack = span ? slack_for(heap->device, span).fresh : 0;
	size_t taken;
	struct pool *pool;

	pool = pool_order(heap, size, slack, &taken);
	if (!pool)
		return MEM_PASS;
	if (span)
		reclaim_shed(heap,
			     idle_limit_excess(heap->device, span, taken));
	*result = heap_alloc(heap, taken, pressed, addr);
	if (*result) {
		fresh_cancel(pool, taken);
		return MEM_DONE;
	}
	fresh_know(pool, taken, size, *addr);
	if (span)
		fresh_counts(heap->device, span, taken, *addr);
	/* A thread that takes what others free gets a cache to share it with
	 * them, even if it frees nothing itself. */
	if (heap == &heap->context->heap &&
	    (!heap->keeps_blocks || tcaches_have(heap->context, taken)))
		tcache_attach(heap->context);
	return MEM_DONE;
}

/* Memory is short: a fence may make an idle block safe, or slack may let one
 * serve. Otherwise all idle memory makes room for a fresh block. */
static enum mem_answer mem_pressed(struct heap *heap, uint64_t *addr,
				   size_t size, size_t span, int *result)
{
	enum mem_answer answer;
	size_t slack;

	fence_pressed(heap->device);
	slack = span ? slack_for(heap->device, span).idle : 0;
	*result = CUDA_SUCCESS;
	if (pool_look(heap, size, slack, true, addr, &span) == POOL_HIT)
		return MEM_DONE;
	answer = mem_fresh(heap, addr, size, span, true, result);
	if (slack && answer == MEM_DONE && is_short(*result))
		answer = mem_fresh(heap, addr, size, 0, true, result);
	return answer;
}

static enum mem_answer look_and_take(struct heap *heap, uint64_t *addr,
				     size_t size, int *result)
{
	struct device *device = heap->device;
	enum pool_answer found;
	enum mem_answer answer;
	size_t span;

	device->used = true;
	*result = CUDA_SUCCESS;
	found = mem_look(heap, addr, size, &span);
	if (found == POOL_HIT)
		return MEM_DONE;
	/* Blocks that wait for a fence say nothing about what pays off. */
	answer = mem_fresh(heap, addr, size, found == POOL_UNSAFE ? 0 : span,
			   false, result);
	if (answer == MEM_DONE && !*result && found == POOL_UNSAFE)
		fence_fresh_taken(device, size);
	if (answer == MEM_DONE && is_short(*result))
		answer = mem_pressed(heap, addr, size, span, result);
	if (answer == MEM_DONE && *result)
		counter_add(device, COUNTER_failures, 1);
	if (answer == MEM_DONE && is_short(*result)) {
		refusal_say(device, size, *result == TAKE_LIMITED);
		*result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	return answer;
}

static enum mem_answer mem_serve(struct heap *heap, uint64_t *addr, size_t size,
				 int *result)
{
	enum mem_answer answer = look_and_take(heap, addr, size, result);

	if (answer == MEM_DONE)
		mem_log_request(heap->device, size, *result ? 0 : *addr,
				*result);
	return answer;
}

/* As tcache_serves, for a pool that keeps nothing. The hook has tried
 * tcache_verified already. */
static bool pass_through_serves(const struct context *context, uint64_t *addr,
				size_t size, int *result)
{
	struct tcache *cache = tcache_current;
	struct pool *pool = NULL;

	if (cache != tcache_verified && cache->context == context)
		pool = pass_through_begin(cache, size);
	if (!pool)
		return false;
	*result = backing_alloc(size, capture_any(), addr);
	return pass_through_end(cache, pool, *addr, size, *result);
}

enum mem_answer mem_alloc(uint64_t *addr, size_t size, int *result)
{
	struct context *context = context_of_request();

	*result = CUDA_SUCCESS;
	if (context && (tcache_serves(context, size, addr) ||
			pass_through_serves(context, addr, size, result)))
		return MEM_DONE;
	return context ? mem_serve(&context->heap, addr, size, result)
		       : MEM_PASS;
}

enum mem_answer mem_alloc_pinned(uint64_t *addr, size_t size,
				 unsigned int flags, int *result)
{
	struct context *context = context_of_request();
	struct heap *heap = context ? heap_pinned(context, flags) : NULL;

	return heap ? mem_serve(heap, addr, size, result) : MEM_PASS;
}
