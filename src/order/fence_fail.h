/* What a fence that failed means for the next ones. */
#ifndef MNM_FENCE_FAIL_H
#define MNM_FENCE_FAIL_H

#include <stdbool.h>

struct device;

/* Notes how a fence went, as fence_try says. False: it was made. Where it is
 * not only for now, none is tried for a while (device->unfenced), and frees
 * wait instead. */
bool fence_failed(struct device *device, int res);

/* The host has waited for the device: which is what that while is counted in.
 */
void fence_waited(struct device *device);

#endif
