#include <stdatomic.h>
#include <sys/resource.h>

#include "tcache/tcache.h"
#include "context/context.h"
#include "order/capture.h"
#include "owed.h"
#include "reclaim.h"
#include "order/pinned_order.h"
#include "limit.h"
#include "swap.h"
#include "stats/counter.h"

enum { HOST_SHARE = 4 }; /* one part in so many of the machine's memory */

static _Atomic size_t limits[LIMIT_MAX] = {[LIMIT_HOST] = SIZE_AUTO};

size_t limit_get(enum limit limit)
{
	return atomic_load_explicit(&limits[limit], memory_order_relaxed);
}

static size_t hard_of(const struct device *device)
{
	return device_is_host(device) ? 0 : limit_get(LIMIT_HARD);
}

static size_t soft_of(const struct device *device)
{
	return device_is_host(device) ? host_limit() : limit_get(LIMIT_POOL);
}

/* The bytes by which one more span would pass a limit; SIZE_MAX if the span
 * alone would. */
static size_t limit_past(uint64_t now, size_t span, size_t limit)
{
	if (!limit || (span <= limit && now <= limit - span))
		return 0;
	return span > limit ? SIZE_MAX : now - (limit - span);
}

/* The bytes by which one more span would pass the hard limit or the soft one,
 * whichever is more. The soft limit is for what pools have. */
static size_t limit_lack(const struct device *device, uint64_t claim,
			 size_t span, bool soft)
{
	uint64_t unpooled = atomic_load(&device->unpooled);
	uint64_t pooled = claim > unpooled ? claim - unpooled : 0;
	size_t hard = limit_past(claim, span, hard_of(device));
	size_t lower = soft ? limit_past(pooled, span, soft_of(device)) : 0;

	return hard > lower ? hard : lower;
}

static bool limit_claim_one(struct device *device, size_t span, bool soft)
{
	uint64_t now = atomic_load(&device->claim);

	do {
		if (limit_lack(device, now, span, soft))
			return false;
	} while (!atomic_compare_exchange_weak(&device->claim, &now,
					       now + span));
	return true;
}

bool limit_claim(struct device *device, size_t span)
{
	return limit_claim_one(device, span, true);
}

/* Gives back what the claim of a span lacks. Only the hard limit is worth a
 * wait. */
static size_t limit_reclaim(struct device *device, size_t span, bool pooled)
{
	uint64_t claim = atomic_load(&device->claim);
	size_t lack = limit_lack(device, claim, span, pooled);

	if (waits_are_forbidden() && !capture_any() &&
	    !limit_lack(device, claim, span, false))
		return owed_try(device, lack);
	return reclaim_now(device, lack);
}

/* Claims, giving memory back while that makes room; tries that at least
 * twice. */
static bool claim_pressed(struct device *device, size_t span, bool pooled)
{
	bool claimed = limit_claim_one(device, span, pooled);
	size_t hard = hard_of(device), given = 0;

	if (claimed || (hard && span > hard))
		return claimed;
	pressure_begin(device);
	for (int i = 0; !claimed && reclaim_may_help(device, i, given); i++) {
		given = limit_reclaim(device, span, pooled);
		claimed = limit_claim_one(device, span, pooled && given);
	}
	pressure_end(device);
	return claimed || limit_claim_one(device, span, false);
}

bool limit_claim_pressed(struct device *device, size_t span, bool pooled)
{
	bool claimed = claim_pressed(device, span, pooled);

	if (claimed && !pooled)
		atomic_fetch_add(&device->unpooled, span);
	return claimed;
}

void limit_set(enum limit limit, size_t bytes)
{
	/* What passed through without a limit is claimed before there is one:
	 * until then a claim may have too little, even less than nothing. */
	if (bytes && limit != LIMIT_HOST)
		tcaches_limit(true);
	atomic_store(&limits[limit], bytes);
	tcaches_limit(limit_get(LIMIT_HARD) || limit_get(LIMIT_POOL));
	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_at(i)->used &&
		    limit_lack(device_at(i), atomic_load(&device_at(i)->claim),
			       0, true))
			device_trim(device_at(i));
}

size_t host_limit(void)
{
	size_t limit = limit_get(LIMIT_HOST);

	return limit == SIZE_AUTO ? host_bytes() / HOST_SHARE : limit;
}

size_t host_past(size_t more)
{
	uint64_t idle = counter_get(device_at(DEVICE_HOST), COUNTER_idle_bytes);
	struct rlimit locked;

	if (limit_get(LIMIT_HOST) != SIZE_AUTO ||
	    getrlimit(RLIMIT_MEMLOCK, &locked) ||
	    locked.rlim_cur == RLIM_INFINITY || idle + more <= locked.rlim_cur)
		return 0;
	return idle + more - locked.rlim_cur;
}
