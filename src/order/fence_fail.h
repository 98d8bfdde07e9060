/* What a fence that failed means for the next ones. */
#ifndef MNM_FENCE_FAIL_H
#define MNM_FENCE_FAIL_H

#include <stdbool.h>

struct device;

/* Notes the result of a fence, such as fence_try returns. Returns false if the
 * fence was made. If the failure does not look temporary, no fence is tried for
 * a while (device->unfenced), and frees wait instead. */
bool fence_failed(struct device *device, int res);

/* The host has waited for the device. device->unfenced counts such waits. */
void fence_waited(struct device *device);

#endif
