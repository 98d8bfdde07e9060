#include "observer.h"

#include <stdatomic.h>
#include <stddef.h>

static void nothing(void)
{
}

static void nothing_of_context(struct context *context, bool created)
{
	(void)context, (void)created;
}

static void nothing_of_handle(struct CUctx_st *handle)
{
	(void)handle;
}

static void nothing_of_end(struct context *context)
{
	(void)context;
}

static void nothing_of_device(struct device *device)
{
	(void)device;
}

static void nothing_of_lookup(const struct context *context, bool sure)
{
	(void)context, (void)sure;
}

static struct context *none(void)
{
	return NULL;
}

static const struct context_observer nobody = {
	.second_comes = nothing,
	.joined = nothing_of_context,
	.handle_ended = nothing_of_handle,
	.ended = nothing_of_end,
	.pends = nothing_of_device,
	.handles_changed = nothing,
	.current_changes = nothing,
	.lookup_begins = nothing,
	.lookup_ended = nothing_of_lookup,
	.was_sure = none,
	.was_wrong = nothing,
};

static const struct context_observer *_Atomic observer = &nobody;

void contexts_observe(const struct context_observer *to)
{
	atomic_store(&observer, to);
}

const struct context_observer *contexts_observer(void)
{
	return atomic_load_explicit(&observer, memory_order_acquire);
}
