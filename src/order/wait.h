/* The host's waits for a device. */
#ifndef MNM_WAIT_H
#define MNM_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct device;

/* Waits for all work that may use the device's memory; what was freed before
 * is safe then. False: it could not, as a context is just ending, a capture is
 * on, or the device has failed (device->lost). */
bool device_wait(struct device *device);

/* Waits for all work that may use what was freed until that epoch of the
 * device's memory, or pinned memory, but for what one context does. False as
 * above. */
bool others_wait(const struct device *device, const struct context *but,
		 uint64_t epoch);

/* The same for work that the last fences of the device have put before later
 * work, also while a stream captures. */
bool fences_wait(const struct device *device, const struct context *but,
		 uint64_t epoch);

#endif
