/* The host's waits for a device. */
#ifndef MNM_WAIT_H
#define MNM_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct device;

/* Waits for all work that may use the device's memory; what was freed before is
 * safe then. Returns false if it could not wait, because a context is just
 * ending, a capture is on, or the device has failed (device->lost). */
bool device_wait(struct device *device);

/* Below which epoch it is known, without a wait, that no work uses what was
 * freed. */
uint64_t device_over(const struct device *device);

/* Waits for all work, except the work of the context `but`, that may use what
 * was freed up to that epoch: memory of the device, or pinned memory if the
 * device is the host. Returns false as device_wait does. */
bool others_wait(const struct device *device, const struct context *but,
		 uint64_t epoch);

/* As others_wait, but waits only for work that the last fences of the contexts
 * stand behind. Works while a stream captures, too. */
bool fences_wait(const struct device *device, const struct context *but,
		 uint64_t epoch);

#endif
