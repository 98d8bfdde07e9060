/* Frees that are not on the fast path. */
#include <pthread.h>

#include <cuda.h>

#include "block/block.h"
#include "heap/idle_limit.h"
#include "block/buffer_id.h"
#include "order/capture.h"
#include "tcache/pass_through.h"
#include "order/fence.h"
#include "order/legacy.h"
#include "heap/reclaim.h"
#include "heap/giver.h"
#include "heap/deferred_free.h"
#include "heap/limit.h"
#include "order/pinned_order.h"
#include "mem.h"
#include "heap/placed.h"
#include "heap/planned.h"
#include "heap/pools.h"
#include "heap/region.h"
#include "exports.h"
#include "mem_log.h"
#include "heap/noted.h"
#include "shown.h"
#include "order/streams.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"
#include "tcache/fast_stream.h"

/* Under the context's lock. Puts the block into its pool, where it is idle
 * then. Returns false if the pool does not take it. */
static bool pool_takes(struct pool *pool, struct block *block,
		       unsigned int stream)
{
	size_t span = block->span; /* kept, it may be another thread's */
	uint64_t use = block->use;

	block->use = stream;
	if (!pool_keep(pool, block)) {
		block->use = use;
		return false;
	}
	counter_add(pool->heap->device, COUNTER_idle_bytes, span);
	pool_checkin(pool, span);
	return true;
}

/* Offers a block to the calling thread's cache and to its pool. Sets *ordered
 * if it is kept in the order of its stream. */
static bool pool_keeps(struct block *block, const struct mem_order *order,
		       bool *ordered)
{
	struct pool *pool = block_pool(block);
	struct heap *heap = pool->heap;
	struct context *context = heap->context;
	unsigned int stream = order ? order->number : 0;
	bool kept;

	*ordered = stream;
	context_enter(context);
	kept = context_serves(context) && pool_may_keep(pool, block);
	if (kept && !pool->retired)
		tcache_adopt(tcache_of(heap), pool);
	if (kept && !pool->retired)
		planned_join(pool, tcache_of(heap));
	if (kept && !stream) /* what finds it next has no look at that */
		mempool_leave(block);
	kept = kept && (tcache_put(tcache_of(heap), block, stream) ||
			pool_takes(pool, block, stream));
	context_leave(context);
	return kept;
}

/* The current context. The driver is asked for it only if it is not known. */
static struct context *context_of_free(void)
{
	struct context *context = tcache_verified_context();

	return context ? context : context_current();
}

/* The memory of a block that others may use for ever stays as it is. */
static bool placed_stays(struct block *block)
{
	struct context *context = block_pool(block)->heap->context;
	bool placed;

	pthread_mutex_lock(&context->lock);
	placed = block_is_placed(block);
	if (placed)
		export_end(block_addr(block));
	if (placed)
		pools_bury(block);
	pthread_mutex_unlock(&context->lock);
	return placed;
}

/* Whether a freed block stays with us. A free that CUDA would refuse for want
 * of a context is left to CUDA. So is a free while another thread lacks room,
 * or threads could take room from each other and keep it for ever. So is a free
 * on a lost device, which has to fail as CUDA's does. The last two may come to
 * light in the wait (fence_keep), which is therefore first. */
static bool block_kept(struct device *device, struct block *block,
		       const struct mem_order *order, bool exported,
		       bool may_wait)
{
	const struct pool *pool = block_pool(block);
	const struct device *own = pool->heap->context->device;
	bool keeps = pool_ops_keep(pool->view.ops) && !own->lost;
	struct context *context = keeps ? context_of_free() : NULL;
	uint64_t epoch = block->epoch; /* kept, it may be another thread's */
	size_t span = block->span;
	bool placed = block_is_placed(block), ordered;

	if (!context || (exported && !placed) ||
	    (device_is_host(device) && !placed && host_past(span)))
		return false;
	if (exported)
		return placed_stays(block);
	if (may_wait)
		fence_keep(device, span);
	/* CUDA would keep what is freed in a stream for a while as well. */
	if (own->lost || (device->pressed && !order && !placed))
		return false;
	tcache_attach(context);
	/* If there is no memory to hold the block, CUDA frees it, as without
	 * us. */
	if (capture_any() && fence_level() != REUSE_NONE) {
		if (deferred_free_keep(block))
			return true;
		if (!placed)
			return false;
		if (capture_any()) /* else the last one has just ended */
			return deferred_free_keep(block) || placed_stays(block);
	}
	if (!pool_keeps(block, order, &ordered))
		return false;
	if (!ordered)
		fence_kept(device, span, epoch);
	giver_start();
	if (placed && may_wait) /* its pool may be retired */
		reclaim_run(device);
	if (may_wait)
		reclaim_past_limit(device);
	return true;
}

/* Finds out the stream's number, which only memory of its own context has. To
 * be called once the block has its epoch: if the number ends later, that epoch
 * is safe before the number is another stream's. */
static void order_learn(struct mem_order *order, const struct block *block)
{
	struct context *context = context_current();

	order->mempool = block_mempool(block);
	order->number = 0;
	if (context && context == block_pool(block)->heap->context)
		order->number = stream_number(context, order->stream,
					      order->per_thread);
}

/* The driver can't free a part of a region, so the block is live again. CUDA
 * says what is wrong, about an address that is not the block's. */
static enum mem_answer placed_refused(struct block *block)
{
	struct device *device = block_pool(block)->heap->device;

	device_uncount_free(device, block_size(block));
	mempool_count(block_mempool(block), (int64_t)block_size(block));
	noted_regain(device, block);
	block_revive(block);
	shown_begin(block_addr(block), block_size(block));
	return context_of_free() ? MEM_INVALID : MEM_UNBOUND;
}

/* Whether CUDA is to see a free of stream-ordered memory: it is in a capture,
 * or in the stream of another context. */
static bool free_is_seen(const struct block *block, enum mem_free how,
			 const struct mem_order *order)
{
	return how == MEM_FREE_CAPTURED ||
	       (how == MEM_FREE_ASYNC && !order && !block_is_placed(block));
}

/* Frees a block that was just taken; its marks are in word. A free in the order
 * of a stream never waits, and gives nothing back, as that may wait. */
static enum mem_answer taken_free(struct block *block, uint64_t word,
				  enum mem_free how, struct mem_order *order,
				  struct block **given)
{
	const struct pool *pool = block_pool(block);
	struct device *device = pool->heap->device;
	/* CUDA's own free of stream-ordered memory never waits. */
	bool may_wait = !order && how != MEM_FREE_ASYNC &&
			how != MEM_FREE_CAPTURED && !(word & BLOCK_ORDERED);

	mem_log_free(device, block);
	/* A free by the wrong call has to fail as CUDA's does. */
	if (device_is_host(device) != (how == MEM_FREE_PINNED)) {
		block_revive(block);
		return MEM_PASS;
	}
	shown_end(block);
	noted_free(device, order, block);
	if (word & BLOCK_NAMED)
		buffer_id_forget(block);
	if (word & BLOCK_ROOMY)
		idle_limit_checkin(
			device,
			pool->view.ops->span(&pool->view, block_size(block), 0),
			block->span);
	/* After block_take, which is a full barrier: whoever ends this epoch
	 * sees the work that the program queued before this free. */
	block->epoch = atomic_load(&device->epoch);
	device_count_free(device, block_size(block));
	mempool_count(block_mempool(block), -(int64_t)block_size(block));
	atomic_fetch_add(&device->freed, block->span);
	if (order)
		order_learn(order, block);
	else if (may_wait)
		reclaim_run(device);
	if (!free_is_seen(block, how, order) &&
	    block_kept(device, block, order, word & BLOCK_EXPORTED, may_wait))
		return MEM_DONE;
	if (block_is_placed(block))
		return placed_refused(block);
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

/* A free that gets no place in its stream is CUDA's, which says why; also one
 * beside a capture. But CUDA can't free a part of a region. If there is just no
 * memory for the mark, such a block is kept in no stream's order. */
static enum mem_free unplaced_free(const struct block *block, int res)
{
	bool kept = res == CUDA_ERROR_OUT_OF_MEMORY && block_is_placed(block);

	return capture_any() && !kept ? MEM_FREE_CAPTURED : MEM_FREE_ASYNC;
}

static enum mem_answer taken_free_in(struct block *block, uint64_t word,
				     struct mem_order *order,
				     struct block **given)
{
	struct context *context = context_current();
	struct legacy_mark mark = {0};
	enum mem_answer answer;
	int res = CUDA_SUCCESS;

	if (context)
		res = legacy_mark_set(&mark, context, order->stream,
				      order->per_thread);
	if (res)
		return taken_free(block, word, unplaced_free(block, res), NULL,
				  given);
	answer = taken_free(block, word, MEM_FREE_ASYNC, order, given);
	legacy_mark_note(&mark);
	legacy_mark_end(&mark);
	order->marked = mark.again;
	order->marks = mark.later;
	return answer;
}

static enum mem_answer free_begin(uint64_t addr, enum mem_free how,
				  struct mem_order *order, struct block **given)
{
	struct block *block;
	uint64_t word;

	*given = NULL;
	if (!mem_enabled())
		return MEM_PASS;
	block = block_take(addr, &word);
	if (block)
		return order ? taken_free_in(block, word, order, given)
			     : taken_free(block, word, how, NULL, given);
	region_await(addr);
	return (word & BLOCK_IDLE && !is_left_over(addr)) || region_has(addr)
		       ? MEM_INVALID
		       : MEM_PASS;
}

enum mem_answer mem_free_begin(uint64_t addr, enum mem_free how,
			       struct block **given)
{
	return free_begin(addr, how, NULL, given);
}

/* The next free in that stream may be on the fast path. */
static void way_fill(const struct mem_order *order, unsigned int changes)
{
	uintptr_t key = stream_key(order->stream, order->per_thread);

	if (stream_way_find(tcache_verified, key) == WAY_NONE)
		stream_way_set(
			tcache_verified,
			&(struct stream_way){
				.key = key | (order->marks ? WAY_MARKS : 0),
				.number = order->number,
				.pool = &tcache_none, /* no request's */
			},
			order->mempool, changes);
}

enum mem_answer mem_free_begin_in(uint64_t addr, struct mem_order *order,
				  struct block **given)
{
	unsigned int changes = atomic_load(&stream_changes);
	enum mem_answer answer;

	order->mempool = 0;
	order->marked = order->marks = false;
	answer = free_begin(addr, MEM_FREE_ASYNC, order, given);
	if (answer == MEM_DONE && order->mempool && !order->marked)
		way_fill(order, changes);
	return answer;
}

enum mem_answer mem_free_begin_taken(struct block *block, struct block **given)
{
	*given = NULL;
	return taken_free(block, block_word(block), MEM_FREE_DEVICE, NULL,
			  given);
}

enum mem_answer mem_free_begin_in_taken(struct block *block,
					struct mem_order *order,
					struct block **given)
{
	*given = NULL;
	return taken_free(block, block_word(block), MEM_FREE_ASYNC, order,
			  given);
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
	struct device *device = block_pool(block)->heap->device;
	uint64_t addr = block_addr(block), word;
	struct block *stale;

	if (context->dead || block_find(addr, &word) ||
	    !block_enter(block, addr, &stale, &word))
		return false;
	device_uncount_free(device, block_size(block));
	mempool_count(block_mempool(block), (int64_t)block_size(block));
	if (block_mempool(block))
		block_mark(block, addr, BLOCK_ORDERED);
	noted_regain(device, block);
	return true;
}

void mem_free_end(struct block *given, bool freed)
{
	struct context *context;
	struct device *device;
	struct pool *pool;
	bool regained, direct;

	if (!given)
		return;
	/* The pool may end with its last block. */
	pool = block_pool(given);
	context = pool->heap->context;
	device = pool->heap->device;
	direct = !pool_ops_keep(pool->view.ops) && !device_is_host(device);
	pthread_mutex_lock(&context->lock);
	regained = !freed && block_regain(context, given);
	if (!regained && !pool->retired && !context->dead)
		pass_through_adopt(tcache_of(pool->heap), pool);
	if (!regained)
		pool_checkin(pool, given->span);
	pthread_mutex_unlock(&context->lock);
	if (regained)
		return;
	if (freed)
		counter_add(device, COUNTER_driver_frees, 1);
	mempool_leave(given);
	device_unreserve(device, given->span);
	block_drop(given);
	if (direct)
		tcache_meet(context);
}
