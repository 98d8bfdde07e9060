/* What a device's pools may keep idle (the option idle_limit).
 *
 * auto: as much as has paid off. It is measured against a pool that keeps every
 * block for requests of its very span, and gives nothing back by itself. What
 * that one would have beyond ours is counted, span by span, so that of each
 * request that our pools can't serve by a block of its span it is known
 * whether that one could (a repeat), or not (the span is new to it). What goes
 * back for want of memory counts as well.
 *
 * While that one would stay within about half again the most that was live,
 * ours is that one. Where it would take more,
 * - and new spans keep coming, what is reserved is held below that: idle blocks
 *   serve requests of less, or they go back before more is taken;
 * - and only repeats have come for a while, it pays off: ours may keep as much.
 *
 * Only the slow path tells, so that nothing is counted on the fast one. All of
 * it is thread-safe; the lock is taken last of all. */
#ifndef MNM_IDLE_LIMIT_H
#define MNM_IDLE_LIMIT_H

#include <stddef.h>

#include "common/option.h"
#include "slack.h"

struct device;

/* The option's value, from now on. */
void idle_limit_set(const struct idle_limit *limit);

/* The bytes that a block may have to spare for a request of span bytes that
 * none of that span serves. */
struct slack idle_limit_slack(struct device *device, size_t span);

/* The bytes that are to go back if `taken` bytes are taken for a request of
 * span. */
size_t idle_limit_excess(struct device *device, size_t span, size_t taken);

/* What came of a request of span bytes that no block of that span served:
 * `given` bytes, idle ones or taken from the driver; a block of more than its
 * request needs is free again; an idle one is to go back. */
void idle_limit_checkout(struct device *device, size_t span, size_t given);
void idle_limit_taken(struct device *device, size_t span, size_t given);
void idle_limit_checkin(struct device *device, size_t span, size_t given);
void idle_limit_shed(struct device *device, size_t span);

/* The largest span, less than another one, of which a pool that keeps all would
 * have fewer blocks than ours; 0: there is none. */
size_t idle_limit_surplus(struct device *device, size_t below);

/* The pools begin anew: so does what is known of them. */
void idle_limit_reset(struct device *device);

/* Where the option is a number, the idle bytes that are past it now, and the
 * most that there may be: SIZE_MAX otherwise. */
size_t idle_limit_past(const struct device *device);
size_t idle_limit_idle_most(const struct device *device);

#endif
