/* Events behind all work that may use a device's memory, where contexts of
 * other devices may use it. They are asked whether they are over, and are never
 * waited for. */
#ifndef MNM_SEAL_H
#define MNM_SEAL_H

#include <stdbool.h>

struct device;

/* Whether events have been recorded that are not known to be over. */
bool seal_is_on(const struct device *device);

/* Records the events if there are none, and asks whether they are over; if so,
 * what was freed before them is safe. Returns false if they are not over, or if
 * they can't be recorded or asked now. */
bool seal_ready(struct device *device);

#endif
