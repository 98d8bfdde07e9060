/* Changes of a running job's pools. They make no CUDA call, as the control
 * thread makes them: idle blocks are left to the giver (giver.h), or to the
 * program's next free. */
#ifndef MNM_SWAP_H
#define MNM_SWAP_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct device;
struct idle_limit;

struct swap_report {
	int before, after;    /* of pools, see pool_choice.h */
	size_t idle_bytes;    /* on their way back to the driver */
	size_t retired_bytes; /* live blocks that the old pools still carry */
	const char *error;    /* NULL if it was done */
};

/* Serves the device from new pools of this choice, or of the default if its
 * pool is switched off. Returns false without memory, or if the pool is
 * switched off as it is opened; then nothing has changed, and report->error
 * says why. */
bool device_swap(struct device *device, int choice, const struct config *config,
		 struct swap_report *report);

/* Sets the option idle_limit; what is past it goes back. */
void devices_limit(const struct idle_limit *limit);

/* Sends every idle block of the device back; returns their bytes. */
size_t device_trim(struct device *device);

/* The choice that a device gets if that one is chosen. Pools that place blocks
 * are for device memory alone: pinned memory has the default pool then. */
int device_choice(const struct device *device, int choice);

#endif
