/* What a device's pools may keep idle (the option idle_limit).
 *
 * auto: as much as has paid off. The measure is a pool that keeps all: it keeps
 * every block for requests of exactly its span, and gives nothing back by
 * itself. What that pool would have beyond ours is counted, span by span. So
 * for each request that our pools can't serve by a block of its span, it is
 * known whether that pool could (the request is a repeat) or not (the span is
 * new to it). Blocks that go back for want of memory count as well.
 *
 * While that pool would take no more than about one and a half times the most
 * that was live, our pools do as it does. Where it would take more,
 * - and new spans keep coming, what is reserved is held below that: idle blocks
 *   serve smaller requests, or go back before more is taken;
 * - and only repeats have come for a while, keeping pays off: our pools may
 *   keep as much.
 *
 * Only the slow path reports here, so that nothing is counted on the fast path.
 * All of this is thread-safe; its lock is taken last of all. */
#ifndef MNM_IDLE_LIMIT_H
#define MNM_IDLE_LIMIT_H

#include <stddef.h>

#include "common/option.h"
#include "slack.h"
#include "tcache/roomy.h"

struct device;

/* Sets the option, from now on. */
void idle_limit_set(const struct idle_limit *limit);

/* The bytes that a block may have beyond a request of span bytes, if no block
 * of that span serves it. */
struct slack idle_limit_slack(struct device *device, size_t span);

/* The bytes that are to go back if `taken` bytes are taken from the driver for
 * a request of span bytes. */
size_t idle_limit_excess(struct device *device, size_t span, size_t taken);

/* Each reports what became of a request of span bytes that no block of that
 * span served. Checkout: an idle block of `given` bytes has served it. Taken: a
 * block of `given` bytes was taken from the driver. Checkin: a block that is
 * larger than its request was freed. Shed: an idle block of span bytes is to go
 * back. */
void idle_limit_checkout(struct device *device, size_t span, size_t given);
void idle_limit_taken(struct device *device, size_t span, size_t given);
void idle_limit_checkin(struct device *device, size_t span, size_t given);
void idle_limit_shed(struct device *device, size_t span);

/* Told of events in one thread's cache, with a checkout or a checkin for each;
 * sets what that thread, one of `sharers`, may serve in the same way from now
 * on. */
void idle_limit_lease(struct device *device, const struct roomy_event *events,
		      size_t count, unsigned int sharers, struct lease *lease);

/* The largest span, less than `below`, of which a pool that keeps all would
 * have fewer blocks than ours; 0 if there is none. */
size_t idle_limit_surplus(struct device *device, size_t below);

/* Forgets what is known of the device's pools, as they begin anew. */
void idle_limit_reset(struct device *device);

/* If the option is a number: the idle bytes that are past it now, and the most
 * idle bytes that it allows. Otherwise 0, and SIZE_MAX. */
size_t idle_limit_past(const struct device *device);
size_t idle_limit_idle_most(const struct device *device);

#endif
