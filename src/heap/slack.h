/* Memory that blocks may have beyond what their requests need, so that fewer
 * sizes are asked of the driver: once it has had no more to give, or the pools
 * are not to grow (idle_limit.h). */
#ifndef MNM_SLACK_H
#define MNM_SLACK_H

#include <stddef.h>

struct device;

/* Bytes that a block may have to spare for one request: an idle one, and one
 * that is taken from the driver. */
struct slack {
	size_t idle, fresh;
};

/* For a request of span bytes that no block of that span serves. */
struct slack slack_for(struct device *device, size_t span);

#endif
