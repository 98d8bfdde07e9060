#include "context/context.h"
#include "heap/mempool.h"
#include "heap/owed.h"
#include "mem.h"
#include "preload/serving.h"
#include "stats/mempool_stats.h"

void mem_waited(void)
{
	struct context *context;

	if (!mempools_are_used() || !serving_is_on())
		return;
	context = context_current();
	if (!context)
		return;
	owed_add(context->device, mempools_return(context->device));
	owed_give(context->device);
}
