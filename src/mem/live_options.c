#include "live_options.h"

#include <string.h>

#include "heap/garbage.h"
#include "heap/limit.h"
#include "heap/swap.h"
#include "borrow.h"
#include "order/fence.h"

static void live_fence(const struct config *config)
{
	fence_level_set(config->fence);
}

static void live_garbage_threshold(const struct config *config)
{
	garbage_threshold_set(config->garbage_threshold);
}

static void live_oversubscribe(const struct config *config)
{
	borrow_limit_set(config->oversubscribe);
}

static void live_quarantine(const struct config *config)
{
	fence_quarantine_set(config->quarantine);
}

#define LIVE_LIMIT(field, limit) \
	static void live_##field(const struct config *config) \
	{ \
		limit_set(limit, config->field); \
	}
LIVE_LIMIT(pool_limit, LIMIT_POOL)
LIVE_LIMIT(hard_limit, LIMIT_HARD)
LIVE_LIMIT(host_limit, LIMIT_HOST)
#undef LIVE_LIMIT
static void live_idle_limit(const struct config *config)
{
	devices_limit(&config->idle_limit);
}

void live_option_apply(const struct option_row *row,
		       const struct config *config)
{
#define APPLY_LIVE(field)  live_##field(config)
#define APPLY_START(field) (void)0
#define OPTION(field, type, when, initial, range, help) \
	if (!strcmp(row->name, #field)) \
		APPLY_##when(field);
	OPTION_LIST
#undef OPTION
}

void live_options_apply(const struct config *config)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		live_option_apply(row, config);
}
