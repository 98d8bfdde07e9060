/* Waits, and blocks on their way back to the driver. All of it runs on the
 * program's own threads, with no lock held across a driver call. */
#ifndef MNM_GIVEBACK_H
#define MNM_GIVEBACK_H

#include "context.h"

/* Waits for all work queued on the device so far; then every block that was
 * freed before may be reused. Returns a CUresult. */
int device_wait(struct device *device);

/* Peers may use a device's memory from now on: waits cover all devices. */
void device_peers_enabled(void);

/* Gives back every idle block of the device, those of all its contexts and
 * pools, and waits for other threads that are doing so. Returns the bytes
 * given back by this call. */
size_t device_release(struct device *device);

/* Gives back what a detached context holds idle, and forgets the rest: its
 * live blocks are foreign from now on. */
void context_empty(struct context *context);

/* There is something in a context's pending list. */
void giveback_announce(void);

#endif
