/* Events behind all work that may use a device's memory, which are asked and
 * never waited for: where contexts of other devices may use it. */
#ifndef MNM_SEAL_H
#define MNM_SEAL_H

#include <stdbool.h>

struct device;

/* Whether events have been recorded, and are not known to be over. */
bool seal_is_on(const struct device *device);

/* Records them, or asks whether they are over; what was freed before them is
 * safe then. False: not yet, or not now. */
bool seal_ready(struct device *device);

#endif
