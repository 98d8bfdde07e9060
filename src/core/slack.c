#include "context.h"
#include "slack.h"

/* Of what is reserved, and of what was to spare when most was live: the least
 * of both. The next peak may be a little higher. */
enum { SLACK_SHARE = 32, SLACK_SPARE = 2 };

static size_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0; /* read one by one, they may not fit */
}

size_t slack_left(const struct device *device)
{
	uint64_t reserved, used, limit, spare;

	if (!device->tight)
		return 0;
	reserved = counter_get(device, COUNTER_reserved_bytes);
	used = counter_about(device, COUNTER_live_bytes) +
	       counter_about(device, COUNTER_idle_bytes) +
	       counter_get(device, COUNTER_held_bytes);
	spare = above(counter_get(device, COUNTER_reserved_peak),
		      counter_about(device, COUNTER_live_peak));
	limit = reserved / SLACK_SHARE;
	if (limit > spare / SLACK_SPARE)
		limit = spare / SLACK_SPARE;
	return above(limit, above(reserved, used));
}
