#include <cuda.h>

#include "block.h"
#include "capture.h"
#include "config.h"
#include "fence.h"
#include "giveback.h"
#include "hold.h"
#include "host.h"
#include "mem.h"
#include "pools.h"
#include "slack.h"
#include "take.h"

static void count_alloc(struct device *device, size_t size, enum counter how)
{
	counter_add(device, COUNTER_allocs, 1);
	counter_add(device, how, 1);
	counter_add_peak(device, COUNTER_live_bytes, COUNTER_live_peak, size);
}

/* The block's next holder is the program; returns its address. Under the
 * context's lock: once that is dropped, the record may end with the context. */
static uint64_t block_lend(struct block *block, size_t size)
{
	struct pool *pool = block->pool;
	struct device *device = pool->store->device;

	block->size = size;
	pool_lend(pool, block->span);
	block->id = 0;
	block_revive(block);
	counter_sub(device, COUNTER_idle_bytes, block->span);
	count_alloc(device, size, COUNTER_hits);
	return block->addr;
}

/* One look into the active pool, for a block with up to slack bytes to spare.
 */
static enum pool_answer pool_look(struct store *store, size_t size,
				  size_t slack, uint64_t *addr)
{
	struct context *context = store->context;
	enum pool_answer answer = POOL_MISS;
	struct pool *pool = NULL;
	struct block *block;
	size_t span = 0;

	context_enter(context);
	if (!context->dead)
		pool = pools_active(store, config_current());
	if (pool)
		span = pool->ops->span(pool, size, 0);
	if (span && pool->ops->alloc)
		answer = pool->ops->alloc(pool, span, slack,
					  atomic_load(&store->device->safe),
					  &block);
	if (answer == POOL_HIT)
		*addr = block_lend(block, size);
	context_leave(context);
	return answer;
}

static enum pool_answer hit(struct store *store, uint64_t *addr, size_t size)
{
	enum pool_answer answer = pool_look(store, size, 0, addr);

	if (answer == POOL_UNSAFE && fence_ready(store->device))
		answer = pool_look(store, size, 0, addr);
	return answer;
}

/* The context that a request is for; NULL: it is CUDA's. */
static struct context *context_of_request(void)
{
	struct context *context = config_once() ? context_current() : NULL;

	return context && !context->device->lost ? context : NULL;
}

enum mem_answer mem_hit(uint64_t *addr, size_t size)
{
	struct context *context = context_of_request();

	return context && hit(&context->store, addr, size) == POOL_HIT
		       ? MEM_DONE
		       : MEM_PASS;
}

/* Makes a fresh block known. False: it can't be; the program has it all the
 * same, and its free goes to the driver as a foreign one. */
static bool block_know(struct context *context, struct block *block)
{
	struct block *stale = NULL;
	enum block_state state;
	bool known = false;

	pthread_mutex_lock(&context->lock);
	if (!context->dead)
		known = block_enter(block, &stale, &state);
	if (known)
		count_alloc(block->pool->store->device, block->size,
			    COUNTER_misses);
	else
		pool_return(block->pool, block->span);
	pthread_mutex_unlock(&context->lock);
	if (stale)
		pools_correct(stale, state == BLOCK_LIVE);
	return known;
}

/* The pool that a fresh block will belong to, and the bytes it will take. */
static struct pool *pool_order(struct store *store, size_t size, size_t slack,
			       size_t *span)
{
	struct context *context = store->context;
	struct pool *pool = NULL;

	context_enter(context);
	if (!context->dead)
		pool = pools_active(store, config_current());
	*span = pool ? pool->ops->span(pool, size, slack) : 0;
	if (*span)
		pool_lend(pool, *span);
	context_leave(context);
	return *span ? pool : NULL;
}

static void pool_cancel(struct pool *pool, size_t span)
{
	struct context *context = pool->store->context;

	pthread_mutex_lock(&context->lock);
	pool_return(pool, span);
	pthread_mutex_unlock(&context->lock);
}

/* Takes a fresh block from the driver. *result is out of memory where there
 * is none; without pressure that is not the last word. */
static enum mem_answer fresh(struct store *store, uint64_t *addr, size_t size,
			     size_t slack, bool pressed, int *result)
{
	struct block *block = block_new();
	uint64_t taken = 0;

	if (!block)
		return MEM_PASS;
	block->size = size;
	block->context = store->context;
	block->pinned = device_is_host(store->device);
	block->pool = pool_order(store, size, slack, &block->span);
	if (!block->pool) {
		block_drop(block);
		return MEM_PASS;
	}
	*result = store_take(store, block->span, pressed, &taken);
	if (*result) {
		pool_cancel(block->pool, block->span);
		block_drop(block);
		return MEM_DONE;
	}
	block->addr = *addr = taken;
	if (!block_know(store->context, block)) {
		device_unreserve(store->device, block->span);
		block_drop(block);
	}
	return MEM_DONE;
}

/* Short of memory: a fence or slack, else what all that is idle makes room
 * for. */
static enum mem_answer pressed(struct store *store, uint64_t *addr, size_t size,
			       int *result)
{
	bool ready = fence_pressed(store->device);
	size_t slack = slack_left(store->device);
	enum mem_answer answer;

	*result = CUDA_SUCCESS;
	if ((ready || slack) && pool_look(store, size, slack, addr) == POOL_HIT)
		return MEM_DONE;
	answer = fresh(store, addr, size, slack, true, result);
	if (slack && answer == MEM_DONE && *result == CUDA_ERROR_OUT_OF_MEMORY)
		answer = fresh(store, addr, size, 0, true, result);
	return answer;
}

static enum mem_answer serve(struct store *store, uint64_t *addr, size_t size,
			     int *result)
{
	struct device *device = store->device;
	enum pool_answer found;
	enum mem_answer answer;
	size_t slack;

	device->used = true;
	*result = CUDA_SUCCESS;
	found = hit(store, addr, size);
	if (found == POOL_HIT)
		return MEM_DONE;
	slack = slack_left(device);
	if (slack && pool_look(store, size, slack, addr) == POOL_HIT)
		return MEM_DONE;
	answer = fresh(store, addr, size, slack, false, result);
	if (answer == MEM_DONE && !*result && found == POOL_UNSAFE)
		fence_spared(device, size);
	if (answer == MEM_DONE && *result == CUDA_ERROR_OUT_OF_MEMORY)
		answer = pressed(store, addr, size, result);
	if (answer == MEM_DONE && *result)
		counter_add(device, COUNTER_failures, 1);
	return answer;
}

enum mem_answer mem_alloc(uint64_t *addr, size_t size, int *result)
{
	struct context *context = context_of_request();

	return context ? serve(&context->store, addr, size, result) : MEM_PASS;
}

enum mem_answer mem_alloc_pinned(uint64_t *addr, size_t size,
				 unsigned int flags, int *result)
{
	struct context *context = context_of_request();
	struct store *store = context ? store_pinned(context, flags) : NULL;

	return store ? serve(store, addr, size, result) : MEM_PASS;
}

/* Offers a block to its pool. */
static bool pool_keeps(struct block *block)
{
	struct pool *pool = block->pool;
	struct store *store = pool->store;
	struct context *context = store->context;
	size_t span = block->span; /* kept, it may be another thread's */
	bool kept;

	context_enter(context);
	kept = !context->dead && !pool->retired && pool->ops->free &&
	       pool->ops->free(pool, block);
	if (kept) {
		counter_add(store->device, COUNTER_idle_bytes, span);
		pool_return(pool, span);
	}
	context_leave(context);
	return kept;
}

/* Whether a freed block stays with us. A free that CUDA would refuse, for want
 * of a context, is left to CUDA; so is one while another thread lacks room, or
 * threads could take room from each other and keep it for ever. *lost: the wait
 * for its last work has told that the device has failed. */
static bool block_kept(struct device *device, struct block *block, bool *lost)
{
	size_t span = block->span;

	if (block->exported || !context_current() || device->pressed ||
	    (block->pinned && !host_keeps(span)))
		return false;
	/* One that is not held, for want of memory, is CUDA's as without us. */
	if (capture_any() && block->pool->ops->free &&
	    fence_level() != FENCE_NONE)
		return hold_keep(block);
	if (!pool_keeps(block))
		return false;
	*lost = !fence_kept(device, span);
	return true;
}

enum mem_answer mem_free(uint64_t addr, enum mem_free how, struct block **given)
{
	enum block_state state;
	struct device *device;
	struct block *block;
	bool lost = false;

	*given = NULL;
	if (!mem_enabled())
		return MEM_PASS;
	block = block_take(addr, &state);
	if (!block)
		return state == BLOCK_IDLE ? MEM_WRONG : MEM_PASS;
	/* The free of a lost device is to fail as CUDA's does, and one by the
	 * wrong call as well. */
	if (block->context->device->lost ||
	    block->pinned != (how == MEM_FREE_PINNED)) {
		block_revive(block);
		return MEM_PASS;
	}
	device = block->pool->store->device;
	/* After block_take, a full barrier: work that the program queued
	 * before this free is seen by whoever ends this epoch. */
	block->epoch = atomic_load(&device->epoch);
	counter_sub(device, COUNTER_live_bytes, block->size);
	counter_add(device, COUNTER_frees, 1);
	if (how != MEM_FREE_ASYNC)
		device_poll(device);
	if (how != MEM_FREE_ASYNC && block_kept(device, block, &lost))
		return lost ? MEM_PASS : MEM_DONE;
	block_remove(block); /* first: the driver may reuse it at once */
	*given = block;
	return MEM_PASS;
}

void mem_exported(uint64_t addr)
{
	enum block_state state;
	struct block *block = block_find(addr, &state);

	if (!block || state != BLOCK_LIVE)
		return;
	block->exported = true;
	if (block->pool->ops->alloc) /* else it has no former owner */
		fence_drain(block->context);
}

/* The driver refused to free it: it is with the program again. */
static bool block_regain(struct context *context, struct block *block)
{
	struct device *device = block->pool->store->device;
	struct block *stale;
	enum block_state state;

	if (context->dead || block_find(block->addr, &state) ||
	    !block_enter(block, &stale, &state))
		return false;
	counter_add(device, COUNTER_live_bytes, block->size);
	counter_sub(device, COUNTER_frees, 1);
	return true;
}

void mem_given(struct block *given, bool freed)
{
	struct context *context;
	struct device *device;
	bool regained;

	if (!given)
		return;
	context = given->context;
	device = given->pool->store->device; /* a pool may end with its last */
	pthread_mutex_lock(&context->lock);
	regained = !freed && block_regain(context, given);
	if (!regained)
		pool_return(given->pool, given->span);
	pthread_mutex_unlock(&context->lock);
	if (regained)
		return;
	if (freed)
		counter_add(device, COUNTER_driver_frees, 1);
	device_unreserve(device, given->span);
	block_drop(given);
}

void mem_info(size_t *free, size_t *total)
{
	struct context *context = config_once() ? context_current() : NULL;
	size_t limit, idle, reserved, held, room;

	if (!context || config_current()->meminfo)
		return;
	limit = config_current()->hard_limit;
	idle = counter_get(context->device, COUNTER_idle_bytes);
	reserved = counter_get(context->device, COUNTER_reserved_bytes);
	held = reserved > idle ? reserved - idle : 0; /* read one by one */
	room = limit > held ? limit - held : 0;
	if (free)
		*free += idle;
	if (free && limit && *free > room)
		*free = room;
	if (total && limit && *total > limit)
		*total = limit;
}
