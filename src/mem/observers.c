/* Which upper layers the lower ones call. */
#include "observers.h"

#include "context/context.h"
#include "context/observer.h"
#include "cuda_pools.h"
#include "foreign.h"
#include "gate/gate.h"
#include "heap/deferred_free.h"
#include "heap/mempool.h"
#include "heap/mempool_share.h"
#include "heap/pools.h"
#include "heap/reclaim.h"
#include "order/calls.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "order/fence.h"
#include "order/fence_sync.h"
#include "order/legacy.h"
#include "order/stream_order.h"
#include "order/streams.h"
#include "tcache/tcache.h"

/* The work of a second context may use what the first has handed out. */
static void context_joined(struct context *context, bool created)
{
	if (created)
		fence_context_new(context);
	tcaches_recompute(NULL); /* see fence_is_plain */
	if (context_count() > 1)
		stream_order_break();
	if (context->device->contexts > 1) {
		fence_attach(context->device, context);
		mempools_changed(); /* no request is served any more */
	}
	mempool_share_joined(context);
}

static void context_ended(struct context *context)
{
	pools_forget(context);
	streams_forget(context);
	legacy_ended(context);
	mempool_share_ended(context);
	foreign_forget(context);
	if (context->kind == CONTEXT_PRIMARY)
		cuda_pools_forget(context->device);
}

static void handles_changed(void)
{
	tcaches_invalidate();
	tcaches_recompute(NULL);
}

static void entry_missed(void)
{
	legacy_actions_unseen();
	stream_calls_unseen();
}

static const struct context_observer contexts = {
	.second_comes = stream_order_break,
	.joined = context_joined,
	.handle_ended = capture_context_ended,
	.ended = context_ended,
	.pends = reclaim_request,
	.handles_changed = handles_changed,
	.current_changes = tcache_invalidate,
	.lookup_begins = tcache_lookup_begin,
	.lookup_ended = tcache_lookup_end,
	.was_sure = tcache_verified_context,
	.was_wrong = entry_missed,
};

static void last_capture_ended(void)
{
	capture_work_forget();
	deferred_free_close();
}

static const struct capture_observer captures = {
	.first_begins = deferred_free_open,
	.last_ended = last_capture_ended,
	.graph_made = deferred_free_graph,
};

void observers_tell(void)
{
	captures_observe(&captures);
	contexts_observe(&contexts);
	gate_open_for(tcaches_recompute, tcaches_pass);
}
