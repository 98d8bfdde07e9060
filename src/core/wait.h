/* The host's waits for a device. */
#ifndef MNM_WAIT_H
#define MNM_WAIT_H

#include <stdbool.h>

struct device;

/* Waits for all work that may use the device's memory; what was freed before
 * is safe then. False: it could not, as a context is just ending, a capture is
 * on, or the device has failed (device->lost). */
bool device_wait(struct device *device);

#endif
