#include "idle_limit.h"
#include "context/context.h"
#include "slack.h"
#include "stats/counter.h"

/* All slack together is at most one part in SLACK_SHARE of what is reserved,
 * and one part in SLACK_SPARE of what was to spare when most was live. That
 * leaves some, as the next peak may be a little higher. */
enum { SLACK_SHARE = 32, SLACK_SPARE = 2 };

/* An idle block may be larger than its request by one part in IDLE_SHARE, a
 * fresh one by one part in FRESH_SHARE. */
enum { IDLE_SHARE = 2, FRESH_SHARE = 16 };

static size_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0; /* read one by one, they may disagree */
}

static size_t slack_left(const struct device *device)
{
	uint64_t reserved, used, limit, spare;

	reserved = (uint64_t)counter_balance(device, COUNTER_reserved_bytes);
	used = (uint64_t)(counter_balance(device, COUNTER_live_bytes) +
			  counter_balance(device, COUNTER_idle_bytes) +
			  counter_balance(device, COUNTER_held_bytes));
	spare = above(counter_approx(device, COUNTER_reserved_peak),
		      counter_approx(device, COUNTER_live_peak));
	limit = reserved / SLACK_SHARE;
	if (limit > spare / SLACK_SPARE)
		limit = spare / SLACK_SPARE;
	return above(limit, above(reserved, used));
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct slack slack_for(struct device *device, size_t span)
{
	size_t left;

	if (!device->oom_seen)
		return idle_limit_slack(device, span);
	left = slack_left(device);
	return (struct slack){.idle = lesser(left, span / IDLE_SHARE),
			      .fresh = lesser(left, span / FRESH_SHARE)};
}
