/* Requests: mem.h has the frees as well, see mem_free.c. */
#include <cuda.h>

#include "cuda/backing.h"
#include "block/block.h"
#include "heap/idle_limit.h"
#include "tcache/cache.h"
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
#include "tell.h"

/* A request of span is served by this block, which nobody else knows to be
 * live. The free of one that is of another span is not on the fast path. */
static void block_lent(struct block *block, size_t span)
{
	if (block->span == span)
		return;
	block_mark(block, block_addr(block), BLOCK_ROOMY);
	bound_lent(block->pool->store->device, span, block->span);
}

/* The block's next holder is the program; returns its address. Under the
 * context's lock: once that is dropped, the record may end with the context. */
static uint64_t block_lend(struct block *block, size_t size)
{
	struct pool *pool = block->pool;
	struct device *device = pool->store->device;

	block->size = size;
	pool_lend(pool, block->span);
	block_revive(block);
	block_lent(block, pool->ops->span(pool, size, 0));
	counter_sub(device, COUNTER_idle_bytes, block->span);
	device_count_alloc(device, size, COUNTER_hits);
	return block_addr(block);
}

/* Looks into a pool that keeps blocks, and into caches in front of it; where
 * memory is short (all), into all that is in any. */
static enum pool_answer pool_ask(struct pool *pool, size_t span, size_t slack,
				 bool all, struct block **block)
{
	struct store *store = pool->store;
	struct cache *cache = cache_of(store);
	uint64_t safe = atomic_load(&store->device->safe);
	enum pool_answer answer;

	cache_adopt(cache, pool);
	answer = pool->ops->alloc(pool, span, slack, safe, block);
	if (answer != POOL_HIT && caches_raid(store, cache, span, slack, all))
		answer = pool->ops->alloc(pool, span, slack, safe, block);
	if (answer == POOL_HIT)
		cache_refill(cache, span, safe);
	return answer;
}

/* One look into the active pool, for a block with up to slack bytes to spare.
 * *span is what the request needs; 0: no block that is kept can serve it. */
static enum pool_answer pool_look(struct store *store, size_t size,
				  size_t slack, bool all, uint64_t *addr,
				  size_t *span)
{
	struct context *context = store->context;
	enum pool_answer answer = POOL_MISS;
	struct pool *pool = NULL;
	struct block *block;

	*span = 0;
	context_enter(context);
	if (context_serves(context))
		pool = pools_active(store, config_current());
	if (pool && pool->ops->alloc)
		*span = pool->ops->span(pool, size, 0);
	if (*span)
		answer = pool_ask(pool, *span, slack, all, &block);
	if (answer == POOL_HIT)
		*addr = block_lend(block, size);
	context_leave(context);
	return answer;
}

/* Looks for a block that has bytes to spare; `exact` was said of the others. */
static enum pool_answer hit_slack(struct store *store, uint64_t *addr,
				  size_t size, size_t span,
				  enum pool_answer exact)
{
	size_t slack = span ? slack_for(store->device, span).idle : 0;
	enum pool_answer answer;
	struct block *block;

	if (!slack)
		return exact;
	block = cache_alloc_slack(cache_of(store), size, slack, addr);
	if (block) {
		block_lent(block, span);
		return POOL_HIT;
	}
	answer = pool_look(store, size, slack, true, addr, &span);
	if (answer == POOL_UNSAFE && fence_ready(store->device))
		answer = pool_look(store, size, slack, true, addr, &span);
	return answer == POOL_MISS ? exact : answer;
}

/* *span is set as by pool_look. */
static enum pool_answer hit(struct store *store, uint64_t *addr, size_t size,
			    size_t *span)
{
	enum pool_answer answer = POOL_MISS;

	*span = 0;
	if (!store->idles)
		return POOL_MISS;
	answer = pool_look(store, size, 0, false, addr, span);
	if (answer == POOL_UNSAFE && fence_ready(store->device))
		answer = pool_look(store, size, 0, false, addr, span);
	if (answer != POOL_HIT)
		answer = hit_slack(store, addr, size, *span, answer);
	if (answer == POOL_HIT)
		cache_current(store->context);
	return answer;
}

/* The context that a request is for; NULL: it is CUDA's. */
static struct context *context_of_request(void)
{
	struct context *context = config_once() ? context_current() : NULL;

	return context && !context->device->lost ? context : NULL;
}

/* Once the current context is known, the fast path may do after all. */
static bool cache_serves(struct context *context, size_t size, uint64_t *addr)
{
	enum fast done;

	if (cache_last->context != context)
		return false;
	done = cache_alloc(cache_last, size, addr);
	if (done == FAST_LOOK)
		fast_look(cache_last);
	return done != FAST_NOT;
}

enum mem_answer mem_hit(uint64_t *addr, size_t size)
{
	struct context *context = context_of_request();
	size_t span;

	if (context && cache_serves(context, size, addr))
		return MEM_DONE;
	if (!context || hit(&context->store, addr, size, &span) != POOL_HIT)
		return MEM_PASS;
	tell_request(context->device, size, *addr, 0);
	return MEM_DONE;
}

/* The pool that a fresh block will belong to, and the bytes it will take. */
static struct pool *pool_order(struct store *store, size_t size, size_t slack,
			       size_t *span)
{
	struct context *context = store->context;
	struct pool *pool = NULL;

	context_enter(context);
	if (context_serves(context))
		pool = pools_active(store, config_current());
	*span = pool ? pool->ops->span(pool, size, slack) : 0;
	if (*span)
		pool_lend(pool, *span);
	if (*span)
		direct_adopt(cache_of(store), pool);
	context_leave(context);
	return *span ? pool : NULL;
}

static bool is_short(int result)
{
	return result == CUDA_ERROR_OUT_OF_MEMORY || result == TAKE_LIMITED;
}

/* A fresh block serves a request of span. */
static void fresh_counts(struct device *device, size_t span, size_t taken,
			 uint64_t addr)
{
	uint64_t word;
	struct block *block;

	bound_taken(device, span, taken);
	block = taken == span ? NULL : block_find(addr, &word);
	if (block)
		block_mark(block, addr, BLOCK_ROOMY);
}

/* Takes a fresh block from the driver. *result is that of store_take; without
 * pressure it is not the last word. */
static enum mem_answer fresh(struct store *store, uint64_t *addr, size_t size,
			     size_t span, bool pressed, int *result)
{
	size_t slack = span ? slack_for(store->device, span).fresh : 0;
	size_t taken;
	struct pool *pool;

	pool = pool_order(store, size, slack, &taken);
	if (!pool)
		return MEM_PASS;
	if (span)
		store_shed(store, bound_excess(store->device, span, taken));
	*result = store_take(store, taken, pressed, addr);
	if (*result) {
		fresh_cancel(pool, taken);
		return MEM_DONE;
	}
	fresh_know(pool, taken, size, *addr);
	if (span)
		fresh_counts(store->device, span, taken, *addr);
	/* Who takes what others free shares it with them, even if it frees
	 * nothing itself. */
	if (store == &store->context->store &&
	    (!store->idles || caches_have(store->context, taken)))
		cache_current(store->context);
	return MEM_DONE;
}

/* Short of memory: a fence or slack, else what all that is idle makes room
 * for. */
static enum mem_answer pressed(struct store *store, uint64_t *addr, size_t size,
			       size_t span, int *result)
{
	enum mem_answer answer;
	size_t slack;

	fence_pressed(store->device);
	slack = span ? slack_for(store->device, span).idle : 0;
	*result = CUDA_SUCCESS;
	if (pool_look(store, size, slack, true, addr, &span) == POOL_HIT)
		return MEM_DONE;
	answer = fresh(store, addr, size, span, true, result);
	if (slack && answer == MEM_DONE && is_short(*result))
		answer = fresh(store, addr, size, 0, true, result);
	return answer;
}

static enum mem_answer look_and_take(struct store *store, uint64_t *addr,
				     size_t size, int *result)
{
	struct device *device = store->device;
	enum pool_answer found;
	enum mem_answer answer;
	size_t span;

	device->used = true;
	*result = CUDA_SUCCESS;
	found = hit(store, addr, size, &span);
	if (found == POOL_HIT)
		return MEM_DONE;
	/* What waits for a fence tells nothing of what has paid off. */
	answer = fresh(store, addr, size, found == POOL_UNSAFE ? 0 : span,
		       false, result);
	if (answer == MEM_DONE && !*result && found == POOL_UNSAFE)
		fence_spared(device, size);
	if (answer == MEM_DONE && is_short(*result))
		answer = pressed(store, addr, size, span, result);
	if (answer == MEM_DONE && *result)
		counter_add(device, COUNTER_failures, 1);
	if (answer == MEM_DONE && is_short(*result)) {
		refusal_say(device, size, *result == TAKE_LIMITED);
		*result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	return answer;
}

static enum mem_answer serve(struct store *store, uint64_t *addr, size_t size,
			     int *result)
{
	enum mem_answer answer = look_and_take(store, addr, size, result);

	if (answer == MEM_DONE)
		tell_request(store->device, size, *result ? 0 : *addr, *result);
	return answer;
}

/* Likewise, where the pool keeps nothing. The door has tried the sure one. */
static bool direct_serves(const struct context *context, uint64_t *addr,
			  size_t size, int *result)
{
	struct cache *cache = cache_last;
	struct pool *pool = NULL;

	if (cache != cache_sure && cache->context == context)
		pool = direct_order(cache, size);
	if (!pool)
		return false;
	*result = backing_take(size, capture_any(), addr);
	return direct_done(cache, pool, *addr, size, *result);
}

enum mem_answer mem_alloc(uint64_t *addr, size_t size, int *result)
{
	struct context *context = context_of_request();

	*result = CUDA_SUCCESS;
	if (context && (cache_serves(context, size, addr) ||
			direct_serves(context, addr, size, result)))
		return MEM_DONE;
	return context ? serve(&context->store, addr, size, result) : MEM_PASS;
}

enum mem_answer mem_alloc_pinned(uint64_t *addr, size_t size,
				 unsigned int flags, int *result)
{
	struct context *context = context_of_request();
	struct store *store = context ? store_pinned(context, flags) : NULL;

	return store ? serve(store, addr, size, result) : MEM_PASS;
}
