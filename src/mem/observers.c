/* Who above the contexts is told of what. */
#include "observers.h"

#include "context/context.h"
#include "context/observer.h"
#include "foreign.h"
#include "gate/gate.h"
#include "heap/deferred_free.h"
#include "heap/pools.h"
#include "heap/reclaim.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/fence.h"
#include "order/stream_order.h"
#include "tcache/cache.h"

/* The work of a second context may use what the first has handed out. */
static void context_joined(struct context *context, bool created)
{
	if (created)
		fence_context_new(context);
	caches_review(NULL); /* where a fence reaches, see fence_is_plain */
	if (context_count() > 1)
		work_mixed();
	if (context->device->contexts > 1)
		fence_join(context->device, context);
}

static void context_ended(struct context *context)
{
	pools_forget(context);
	seen_forget(context);
}

static void handles_changed(void)
{
	caches_ask();
	caches_review(NULL);
}

static const struct context_observer contexts = {
	.joined = context_joined,
	.handle_ended = capture_context_ended,
	.ended = context_ended,
	.pends = device_announce,
	.handles_changed = handles_changed,
	.current_changes = cache_unsure,
	.lookup_begins = cache_asking,
	.lookup_ended = cache_asked,
	.was_sure = cache_sure_of,
	.was_wrong = calls_unseen,
};

static const struct capture_observer captures = {
	.first_begins = hold_open,
	.last_ended = hold_close,
	.graph_made = hold_graph,
};

void observers_tell(void)
{
	captures_observe(&captures);
	contexts_observe(&contexts);
	counters_source(&caches_source);
	gate_open_for(caches_review, caches_pass);
}
