#include "context_leave.h"

#include <pthread.h>

#include "block/block.h"
#include "tcache/tcache.h"
#include "order/capture.h"
#include "context/context.h"
#include "order/fence.h"
#include "pools/pool.h"
#include "order/wait.h"

/* Work that may still use memory of a context that the program has freed. */
struct debt {
	const struct context *context;
	uint64_t last; /* last epoch with work of others on the device, or 0 */
	bool unfenced; /* some of that work has no fence behind it */
	uint64_t host; /* last epoch with work on pinned memory, or 0 */
};

/* Another thread may make a fence between two calls; later blocks count as
 * fenced then. So `last` is of all blocks, fenced or not. */
static void debt_add(struct debt *debt, const struct device *device,
		     uint64_t epoch)
{
	if (epoch < atomic_load(&device->over))
		return;
	if (device_is_host(device)) {
		debt->host = epoch > debt->host ? epoch : debt->host;
		return;
	}
	if (epoch >= atomic_load(&device->safe))
		debt->unfenced = true;
	if (epoch > debt->last)
		debt->last = epoch;
}

/* Counts a block that is live again, too: the work of its former holder may be
 * ordered before that of its new holder only. */
static void debt_visit(struct block *block, uint64_t word, void *arg)
{
	struct debt *debt = arg;
	const struct pool *pool = block_pool(block);
	const struct heap *heap = pool ? pool->heap : NULL;

	if (heap && heap->context == debt->context &&
	    !(word_is_live(word) && block->epoch == MNM_EPOCH_NEVER))
		debt_add(debt, heap->device, block->epoch);
}

static struct debt debt_of(struct context *context)
{
	struct debt debt = {.context = context};

	pthread_mutex_lock(&context->lock);
	for (struct heap *at = &context->heap; at; at = at->next)
		tcaches_flush(at);
	/* The pool of a pending block may have ended since, and then does not
	 * lead to this context. */
	for (struct heap *at = &context->heap; at; at = at->next)
		for (const struct block *block = at->pending; block;
		     block = block->next)
			debt_add(&debt, at->device, block->epoch);
	for (struct heap *at = &context->heap; at; at = at->next)
		if (at->placed_epoch != MNM_EPOCH_NEVER)
			debt_add(&debt, at->device, at->placed_epoch);
	block_walk(debt_visit, &debt);
	pthread_mutex_unlock(&context->lock);
	return debt;
}

static bool memory_leave(const struct debt *debt, const struct context *context)
{
	if (!debt->last)
		return true;
	if (!debt->unfenced)
		return fences_wait(context->device, context, debt->last);
	return !capture_any() &&
	       others_wait(context->device, context, debt->last);
}

static bool frees_leave(struct context *context)
{
	struct debt debt;

	if (fence_level() == REUSE_NONE || context_count() == 1)
		return true;
	debt = debt_of(context);
	return memory_leave(&debt, context) &&
	       (!debt.host ||
		(!capture_any() &&
		 others_wait(device_at(DEVICE_HOST), context, debt.host)));
}

bool fence_leave(struct context *context)
{
	bool left = frees_leave(context);

	fence_note_over(context);
	return left;
}
