/* Frees that are not on the fast path. */
#include "block/block.h"
#include "heap/idle_limit.h"
#include "block/buffer_id.h"
#include "order/capture.h"
#include "tcache/pass_through.h"
#include "order/fence.h"
#include "heap/reclaim.h"
#include "heap/giver.h"
#include "heap/deferred_free.h"
#include "heap/limit.h"
#include "order/pinned_order.h"
#include "mem.h"
#include "heap/pools.h"
#include "mem_log.h"
#include "stats/counter.h"

/* Under the context's lock. Puts the block into its pool, where it is idle
 * then. Returns false if the pool does not take it. */
static bool pool_takes(struct pool *pool, struct block *block)
{
	size_t span = block->span; /* kept, it may be another thread's */
	uint64_t use = block->use;

	block->use = 0;
	if (!pool->ops->free(pool, block)) {
		block->use = use;
		return false;
	}
	counter_add(pool->heap->device, COUNTER_idle_bytes, span);
	pool_checkin(pool, span);
	return true;
}

/* Offers a block to the calling thread's cache and to its pool. */
static bool pool_keeps(struct block *block)
{
	struct pool *pool = block->pool;
	struct heap *heap = pool->heap;
	struct context *context = heap->context;
	bool kept;

	context_enter(context);
	kept = context_serves(context) && !pool->retired;
	if (kept)
		tcache_adopt(tcache_of(heap), pool);
	kept = kept && (tcache_put(tcache_of(heap), block, 0) ||
			pool_takes(pool, block));
	context_leave(context);
	return kept;
}

/* The current context. The driver is asked for it only if it is not known. */
static struct context *context_of_free(void)
{
	struct context *context = tcache_verified_context();

	return context ? context : context_current();
}

/* Whether a freed block stays with us. A free that CUDA would refuse for want
 * of a context is left to CUDA. So is a free while another thread lacks room,
 * or threads could take room from each other and keep it for ever. So is a free
 * on a lost device, which has to fail as CUDA's does. The last two may come to
 * light in the wait (fence_keep), which is therefore first. */
static bool block_kept(struct device *device, struct block *block,
		       bool exported)
{
	const struct device *own = block->pool->heap->context->device;
	bool keeps = block->pool->ops->free && !own->lost;
	struct context *context = keeps ? context_of_free() : NULL;
	uint64_t epoch = block->epoch; /* kept, it may be another thread's */
	size_t span = block->span;

	if (exported || !context ||
	    (device_is_host(device) && !host_keeps(span)))
		return false;
	fence_keep(device, span);
	if (own->lost || device->pressed)
		return false;
	tcache_attach(context);
	/* If there is no memory to hold the block, CUDA frees it, as without
	 * us. */
	if (capture_any() && fence_level() != REUSE_NONE)
		return deferred_free_keep(block);
	if (!pool_keeps(block))
		return false;
	fence_kept(device, span, epoch);
	giver_start();
	reclaim_past_limit(device);
	return true;
}

/* Frees a block that was just taken; its marks are in word. */
static enum mem_answer taken_free(struct block *block, uint64_t word,
				  enum mem_free how, struct block **given)
{
	struct device *device = block->pool->heap->device;

	mem_log_free(device, block);
	/* A free by the wrong call has to fail as CUDA's does. */
	if (device_is_host(device) != (how == MEM_FREE_PINNED)) {
		block_revive(block);
		return MEM_PASS;
	}
	if (word & BLOCK_NAMED)
		buffer_id_forget(block);
	if (word & BLOCK_ROOMY)
		idle_limit_checkin(device,
				   block->pool->ops->span(block->pool,
							  block_size(block), 0),
				   block->span);
	if (word & (BLOCK_NAMED | BLOCK_ROOMY))
		block_unmark(block);
	/* After block_take, which is a full barrier: whoever ends this epoch
	 * sees the work that the program queued before this free. */
	block->epoch = atomic_load(&device->epoch);
	device_count_free(device, block_size(block));
	atomic_fetch_add(&device->freed, block->span);
	if (how != MEM_FREE_ASYNC)
		reclaim_run(device);
	if (how != MEM_FREE_ASYNC &&
	    block_kept(device, block, word & BLOCK_EXPORTED))
		return MEM_DONE;
	block_remove(block); /* first: the driver may reuse it at once */
	*given = block;
	return MEM_PASS;
}

/* Whether the idle block that was found at addr is of a context that has ended:
 * the driver may have given its memory out again before we heard of that, and
 * in a call that no pool serves. */
static bool is_left_over(uint64_t addr)
{
	uint64_t word;
	const struct block *block = block_find(addr, &word);
	const struct pool *pool = block ? block_pool(block) : NULL;
	struct context *context = pool ? pool->heap->context : NULL;

	if (!context)
		return true;    /* it has gone since */
	context_await(context); /* then the pool's record may be another's */
	return !context_serves(context) || !block_find(addr, &word);
}

enum mem_answer mem_free_begin(uint64_t addr, enum mem_free how,
			       struct block **given)
{
	struct block *block;
	uint64_t word;

	*given = NULL;
	if (!mem_enabled())
		return MEM_PASS;
	block = block_take(addr, &word);
	if (block)
		return taken_free(block, word, how, given);
	return word & BLOCK_IDLE && !is_left_over(addr) ? MEM_INVALID
							: MEM_PASS;
}

enum mem_answer mem_free_begin_taken(struct block *block, struct block **given)
{
	*given = NULL;
	return taken_free(block, 0, MEM_FREE_DEVICE, given);
}

void mem_exported(uint64_t addr)
{
	uint64_t word;
	struct block *block = block_find(addr, &word);
	const struct pool *pool;

	if (!block || !block_mark(block, addr, BLOCK_EXPORTED))
		return;
	pool = block_pool(block);
	if (pool && pool->ops->alloc) /* else it has no former owner */
		fence_drain(pool->heap->context);
}

/* A thread that only frees may have a cache as well. It has to ask for the
 * current context if that may have changed. */
static void tcache_meet(struct context *context)
{
	if ((tcache_current == &tcache_none ||
	     atomic_load(&tcache_current->closed) & CLOSED_LOOKUP) &&
	    context_current() == context)
		tcache_attach(context);
}

/* The driver has refused to free the block, which is with the program again.
 * Returns false if that can't be noted. */
static bool block_regain(struct context *context, struct block *block)
{
	struct device *device = block->pool->heap->device;
	uint64_t addr = block_addr(block), word;
	struct block *stale;

	if (context->dead || block_find(addr, &word) ||
	    !block_enter(block, addr, &stale, &word))
		return false;
	device_uncount_free(device, block_size(block));
	return true;
}

void mem_free_end(struct block *given, bool freed)
{
	struct context *context;
	struct device *device;
	bool regained, direct;

	if (!given)
		return;
	/* The pool may end with its last block. */
	context = given->pool->heap->context;
	device = given->pool->heap->device;
	direct = !given->pool->ops->alloc && !device_is_host(device);
	pthread_mutex_lock(&context->lock);
	regained = !freed && block_regain(context, given);
	if (!regained && !given->pool->retired && !context->dead)
		pass_through_adopt(tcache_of(given->pool->heap), given->pool);
	if (!regained)
		pool_checkin(given->pool, given->span);
	pthread_mutex_unlock(&context->lock);
	if (regained)
		return;
	if (freed)
		counter_add(device, COUNTER_driver_frees, 1);
	device_unreserve(device, given->span);
	block_drop(given);
	if (direct)
		tcache_meet(context);
}
