/* Slack: bytes that blocks may have beyond what their requests need, so that
 * the driver is asked for fewer sizes. There is some once the driver has run
 * out of memory, or where the pools are not to grow (idle_limit.h). */
#ifndef MNM_SLACK_H
#define MNM_SLACK_H

#include <stddef.h>

struct device;

/* The bytes that a block may have beyond one request: an idle block, and a
 * fresh one. */
struct slack {
	size_t idle, fresh;
};

/* The slack of a request of span bytes that no block of that span serves. */
struct slack slack_for(struct device *device, size_t span);

#endif
