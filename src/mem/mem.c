/* Requests. The frees of mem.h are in mem_free.c. */
#include <cuda.h>

#include "cuda/backing.h"
#include "block/block.h"
#include "heap/headroom.h"
#include "heap/idle_limit.h"
#include "tcache/tcache.h"
#include "order/capture.h"
#include "borrow.h"
#include "config.h"
#include "grow.h"
#include "tcache/fast_stream.h"
#include "tcache/pass_through.h"
#include "order/fence.h"
#include "order/legacy.h"
#include "heap/fresh.h"
#include "heap/reclaim.h"
#include "order/pinned_order.h"
#include "heap/limit.h"
#include "heap/mempool.h"
#include "heap/mempool_share.h"
#include "heap/owed.h"
#include "refusal.h"
#include "mem.h"
#include "heap/pools.h"
#include "heap/slack.h"
#include "heap/acquire.h"
#include "look.h"
#include "mem_log.h"
#include "heap/noted.h"
#include "shown.h"
#include "order/streams.h"
#include "record/ring.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

/* That one request meets. */
enum { SWAPS_MOST = 8 };

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
	       tcache_alloc_planned(tcache_current, size, addr) ||
	       tcache_alloc_divided(tcache_current, size, addr) ||
	       tcache_alloc_roomy(tcache_current, size, addr);
}

enum mem_answer mem_hit(uint64_t *addr, size_t size)
{
	struct context *context = context_of_request();
	const struct mem_request request = {.size = size};
	size_t span;

	if (context && tcache_serves(context, size, addr))
		return MEM_DONE;
	record_did_begin();
	if (!context ||
	    mem_look(&context->heap, addr, &request, &span) != MNM_HIT)
		return MEM_PASS;
	shown_begin(*addr, size);
	mem_log_request(context->device, size, *addr, 0);
	noted_request(context->device, size, false, 0, *addr, 0);
	return MEM_DONE;
}

/* The pool that a fresh block will belong to, and the bytes that it will take.
 * NULL if the request is CUDA's, or if the pool places its block, which is not
 * to be an allocation of its own (`whole`). */
static struct pool *pool_order(struct heap *heap, size_t size, size_t slack,
			       bool whole, size_t *span)
{
	struct context *context = heap->context;
	struct pool *pool = NULL;

	context_enter(context);
	if (context_serves(context))
		pool = pools_active(heap, config_current());
	if (pool && pool_places(pool) && !whole) /* mem_grow is for these */
		pool = NULL;
	*span = pool ? pool->view.ops->span(&pool->view, size, slack) : 0;
	if (*span)
		pool_checkout(pool, *span);
	if (*span && pool_places(pool))
		pool->has_whole = true;
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

/* So many bytes are idle past what pays off. */
static void excess_goes(struct heap *heap, size_t bytes,
			const struct mem_request *request)
{
	if (request->mempool)
		owed_add(heap->device, bytes);
	else
		reclaim_shed(heap, bytes);
}

/* Takes a fresh block from the driver. Returns MEM_PASS if no pool of the heap
 * has allocations of its own for such requests. */
static enum mem_answer whole_fresh(struct heap *heap, uint64_t *addr,
				   const struct mem_request *request,
				   size_t span, bool pressed, int *result)
{
	size_t slack = span ? slack_for(heap->device, span).fresh : 0;
	size_t taken;
	struct pool *pool = pool_order(heap, request->size, slack,
				       request_is_whole(heap, request), &taken);

	if (!pool)
		return MEM_PASS;
	if (span)
		excess_goes(heap, idle_limit_excess(heap->device, span, taken),
			    request);
	if (!pressed)
		headroom_keep(pool, taken);
	*result = heap_alloc(heap, taken, pressed, addr);
	if (*result) {
		fresh_cancel(pool, taken);
		return MEM_DONE;
	}
	fresh_know(pool, taken, request->size, request->mempool, *addr);
	if (span)
		fresh_counts(heap->device, span, taken, *addr);
	/* A thread that takes what others free gets a cache to share it with
	 * them, even if it frees nothing itself. */
	if (heap == &heap->context->heap &&
	    (!heap->keeps_blocks || tcaches_have(heap->context, taken)))
		tcache_attach(heap->context);
	return MEM_DONE;
}

/* Takes fresh memory from the driver. *result is that of heap_alloc, which is
 * not the last word without pressure. If a swap changes meanwhile whether
 * blocks are placed, the other way is gone. */
static enum mem_answer mem_fresh(struct heap *heap, uint64_t *addr,
				 const struct mem_request *request, size_t span,
				 bool pressed, int *result)
{
	enum mem_answer answer = MEM_PASS;

	for (int i = 0; i < SWAPS_MOST && answer == MEM_PASS; i++)
		answer =
			heap->places_blocks && !request_is_whole(heap, request)
				? mem_grow(heap, addr, request, pressed, result)
				: whole_fresh(heap, addr, request, span,
					      pressed, result);
	return answer;
}

/* The request may not wait, and idle memory can't go back while there is work:
 * a block of up to twice the size serves it. What a small block wastes of a far
 * larger one would be missing later as well, when the program has waited and
 * tries again. Otherwise CUDA's own pool may have memory left. */
static enum mem_answer mem_last(struct heap *heap, uint64_t *addr,
				const struct mem_request *request, size_t span,
				int *result)
{
	*result = CUDA_SUCCESS;
	return span && pool_look(heap, request, span, true, addr, &span) ==
				       MNM_HIT
		       ? MEM_DONE
		       : MEM_PASS;
}

/* Memory is short: a fence may make an idle block safe, or slack may let one
 * serve. Otherwise all idle memory makes room for a fresh block. */
static enum mem_answer mem_pressed(struct heap *heap, uint64_t *addr,
				   const struct mem_request *request,
				   size_t span, int *result)
{
	enum mem_answer answer;
	size_t slack;

	if (!request->restricted)
		fence_pressed(heap->device);
	slack = span ? slack_for(heap->device, span).idle : 0;
	*result = CUDA_SUCCESS;
	if (pool_look(heap, request, slack, true, addr, &span) == MNM_HIT)
		return MEM_DONE;
	answer = mem_fresh(heap, addr, request, span, true, result);
	if (slack && answer == MEM_DONE && is_short(*result))
		answer = mem_fresh(heap, addr, request, 0, true, result);
	if (request->mempool && answer == MEM_DONE && is_short(*result))
		answer = mem_last(heap, addr, request, span, result);
	return answer;
}

/* Nothing has helped: the host may have what the device lacks. A request that
 * the hard limit has refused stays out of memory, and so do those for pinned
 * and for stream-ordered memory. */
static bool borrowed_for(struct heap *heap, const struct mem_request *request,
			 int result, uint64_t *addr)
{
	struct context *context = heap->context;
	bool full = result == CUDA_ERROR_OUT_OF_MEMORY ||
		    !device_can_hold(heap->device, request->size);

	return full && heap == &context->heap && !request->mempool &&
	       borrow(context, request->size, addr);
}

static enum mem_answer look_and_take(struct heap *heap, uint64_t *addr,
				     const struct mem_request *request,
				     int *result)
{
	struct device *device = heap->device;
	enum mnm_answer found;
	enum mem_answer answer;
	size_t span;

	device->used = true;
	*result = CUDA_SUCCESS;
	found = mem_look(heap, addr, request, &span);
	if (found == MNM_HIT)
		return MEM_DONE;
	/* Blocks that wait for a fence say nothing about what pays off. */
	answer = mem_fresh(heap, addr, request, found == MNM_UNSAFE ? 0 : span,
			   false, result);
	if (answer == MEM_DONE && !*result && found == MNM_UNSAFE)
		fence_fresh_taken(device, request->size);
	if (answer == MEM_DONE && is_short(*result) &&
	    device_can_hold(device, request->size))
		answer = mem_pressed(heap, addr, request, span, result);
	if (answer == MEM_DONE && is_short(*result) &&
	    borrowed_for(heap, request, *result, addr))
		*result = CUDA_SUCCESS;
	if (request->mempool &&
	    *result) /* CUDA's pool may do, or says why not */
		return MEM_PASS;
	if (answer == MEM_DONE && *result)
		counter_add(device, COUNTER_failures, 1);
	if (answer == MEM_DONE && is_short(*result)) {
		refusal_say(device, request->size, *result == TAKE_LIMITED);
		*result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	return answer;
}

static enum mem_answer mem_serve(struct heap *heap, uint64_t *addr,
				 const struct mem_request *request, int *result)
{
	enum mem_answer answer;

	record_did_begin();
	answer = look_and_take(heap, addr, request, result);
	if (answer == MEM_DONE && !*result)
		shown_begin(*addr, request->size);
	if (answer != MEM_DONE)
		return answer;
	mem_log_request(heap->device, request->size, *result ? 0 : *addr,
			*result);
	noted_request(heap->device, request->size, request->mempool,
		      request->number, *addr, *result);
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
	if (!pass_through_end(cache, pool, *addr, size, *result))
		return false;
	if (!*result)
		pools_correct_over(*addr, size);
	return true;
}

enum mem_answer mem_alloc(uint64_t *addr, size_t size, int *result)
{
	struct context *context = context_of_request();
	const struct mem_request request = {.size = size};

	*result = CUDA_SUCCESS;
	if (context && (tcache_serves(context, size, addr) ||
			pass_through_serves(context, addr, size, result)))
		return MEM_DONE;
	return context ? mem_serve(&context->heap, addr, &request, result)
		       : MEM_PASS;
}

enum mem_answer mem_alloc_pinned(uint64_t *addr, size_t size,
				 unsigned int flags, int *result)
{
	struct context *context = context_of_request();
	struct heap *heap = context ? heap_pinned(context, flags) : NULL;
	const struct mem_request request = {.size = size};

	return heap ? mem_serve(heap, addr, &request, result) : MEM_PASS;
}

void mem_refused(void)
{
	struct context *context = context_of_request();

	if (context)
		counter_add(context->device, COUNTER_failures, 1);
}

enum mem_answer mem_alloc_in(uint64_t *addr, size_t size,
			     const struct mem_order *order, int *result)
{
	struct context *context = context_of_request();
	struct mem_request request = {
		.size = size,
		.mempool = order->mempool,
		.stream = order->stream,
		.per_thread = order->per_thread,
		.restricted = !mempool_reuses_all(order->mempool),
		.follows = mempool_follows_events(order->mempool),
	};
	enum mem_answer answer = MEM_PASS; /* where CUDA says what is wrong */
	struct legacy_mark mark;
	bool admitted;

	*result = CUDA_SUCCESS;
	if (!context || !pool_ops_keep(pool_ops_at(context->device->choice)) ||
	    !mempool_is_reached(order->mempool))
		return MEM_PASS;
	admitted = mempool_admits(order->mempool, size);
	if (!order->pool && !mempool_is_current(order->mempool)) {
		if (admitted)
			mempool_admitted(order->mempool, size);
		return MEM_PASS;
	}
	if (!admitted) {
		*result = CUDA_ERROR_OUT_OF_MEMORY;
		mem_refused();
		return MEM_DONE;
	}
	if (!legacy_mark_set(&mark, context, order->stream,
			     order->per_thread)) {
		request.number = stream_number(context, order->stream,
					       order->per_thread);
		request.passes = mark.later;
		legacy_mark_note(&mark); /* of that number */
		answer = mem_serve(&context->heap, addr, &request, result);
		legacy_mark_end(&mark);
	}
	mempool_admitted(order->mempool, size);
	/* The fast path asks for no limit, and makes no mark. */
	if (answer == MEM_DONE && tcache_verified->context == context &&
	    !mempool_is_limited(order->mempool) && !mark.again)
		stream_way_set(tcache_verified,
			       &(struct stream_way){
				       .key = stream_key(order->stream,
							 order->per_thread) |
					      (mark.later ? WAY_MARKS : 0),
				       .number = request.number,
				       .pool = order->pool,
				       .beside = !request.restricted &&
						 request.follows,
			       },
			       order->mempool, order->changes);
	return answer;
}
