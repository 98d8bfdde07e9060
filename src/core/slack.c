#include "cache.h"
#include "context.h"
#include "slack.h"

/* Of what is reserved, and of what was to spare when most was live: the least
 * of both. The next peak may be a little higher. */
enum { SLACK_SHARE = 32, SLACK_SPARE = 2 };

static size_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0; /* read one by one, they may not fit */
}

/* Without what the caches have. */
static uint64_t own(const struct device *device, enum counter counter)
{
	return atomic_load_explicit(&device->counters[counter],
				    memory_order_relaxed);
}

/* Bytes that are with the program, or idle in some block. */
static uint64_t bytes_used(const struct device *device)
{
	struct cache_figures caches = caches_about(device);

	return own(device, COUNTER_live_bytes) +
	       own(device, COUNTER_idle_bytes) +
	       own(device, COUNTER_held_bytes) + caches.live + caches.idle;
}

size_t slack_left(const struct device *device)
{
	uint64_t reserved, used, limit, spare;

	if (!device->tight)
		return 0;
	reserved = own(device, COUNTER_reserved_bytes);
	used = bytes_used(device);
	spare = above(own(device, COUNTER_reserved_peak),
		      own(device, COUNTER_live_peak));
	limit = reserved / SLACK_SHARE;
	if (limit > spare / SLACK_SPARE)
		limit = spare / SLACK_SPARE;
	return above(limit, above(reserved, used));
}
