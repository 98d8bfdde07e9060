/* Memory that blocks may have beyond what their requests need, so that fewer
 * sizes are asked of a driver that has no more to give. */
#ifndef MNM_SLACK_H
#define MNM_SLACK_H

#include <stddef.h>

struct device;

/* Bytes that the next block may have to spare. 0 until memory has once run
 * out. */
size_t slack_left(const struct device *device);

#endif
