#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "capture.h"
#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "pinned_order.h"
#include "stats/counter.h"

static const unsigned int flags_known = CU_MEMHOSTALLOC_PORTABLE |
					CU_MEMHOSTALLOC_DEVICEMAP |
					CU_MEMHOSTALLOC_WRITECOMBINED;

static unsigned int node_now(void)
{
	unsigned int cpu, node;

	return syscall(SYS_getcpu, &cpu, &node, NULL) ? 0 : node;
}

/* Under the context's lock. */
static struct heap *heap_add(struct heap *last, unsigned int flags,
			     unsigned int node)
{
	struct heap *heap = calloc(1, sizeof(*heap));

	if (!heap)
		return NULL;
	heap->context = last->context;
	heap->device = device_at(DEVICE_HOST);
	heap->flags = flags;
	heap->node = node;
	atomic_store(&last->next, heap);
	return heap;
}

struct heap *heap_pinned(struct context *context, unsigned int flags)
{
	struct heap *last = &context->heap, *at;
	unsigned int node = node_now();

	if (flags & ~flags_known)
		return NULL;
	pthread_mutex_lock(&context->lock);
	while ((at = last->next) && (at->flags != flags || at->node != node))
		last = at;
	if (!at)
		at = heap_add(last, flags, node);
	pthread_mutex_unlock(&context->lock);
	return at;
}

/* A thread uses what follows; others don't wait for it. */
static _Atomic bool asking;

/* The epoch behind which events have been recorded, in each context that lived
 * then; 0 if there are no events to ask. */
static uint64_t sealed;

/* Called while captures are blocked and the context is in use. */
static int seal_one(struct context *context)
{
	int res = CUDA_SUCCESS;

	if (!context->seal)
		res = backing_event_open(context->handle, &context->seal);
	if (!res)
		res = backing_record(context->handle, context->seal);
	context->sealed = res ? 0 : sealed;
	return res;
}

/* Called while captures are blocked and the context is in use. */
static int ask_one(struct context *context)
{
	if (context->sealed != sealed) /* younger: it has nothing to wait for */
		return CUDA_SUCCESS;
	return backing_event_query(context->seal);
}

/* Whether `each` succeeded for the context, or it is dead. A context that is
 * just ending can't be asked. */
static bool one_done(struct context *context,
		     int (*each)(struct context *context))
{
	enum context_state state = context_try(context);
	int res = CUDA_ERROR_NOT_READY;

	if (state != CONTEXT_ALIVE) /* a dead one's work has ended with it */
		return state == CONTEXT_DEAD;
	if (capture_block()) {
		res = device_check(context->device, each(context));
		capture_unblock();
	}
	context_unuse(context);
	return !res;
}

/* Whether `each` succeeded for all contexts. */
static bool all_done(int (*each)(struct context *context))
{
	struct context_walk walk = {0};
	struct context *context = context_next_using(&walk, NULL);
	bool done = context;

	for (; context && done; context = context_next_using(&walk, NULL))
		done = one_done(context, each);
	return done;
}

/* The epoch ends first: a context that comes later, and then frees, is in the
 * next one. */
static void host_seal(struct device *host)
{
	uint64_t bytes;

	sealed = epoch_end(host, &bytes);
	if (all_done(seal_one)) {
		counter_add(host, COUNTER_fences, 1);
	} else {
		counter_add(host, COUNTER_quarantined_bytes, bytes);
		sealed = 0;
	}
}

bool host_ready(void)
{
	struct device *host = device_at(DEVICE_HOST);
	bool ready;

	if (!backing_has_fences() || atomic_exchange(&asking, true))
		return false;
	if (!sealed)
		host_seal(host);
	ready = sealed && all_done(ask_one);
	if (ready) {
		epoch_over(host, sealed);
		sealed = 0;
	}
	atomic_store(&asking, false);
	return ready;
}

size_t host_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}
