/* Waits, and blocks on their way back to the driver. All of it runs on the
 * program's own threads, with no lock held across a driver call. */
#ifndef MNM_GIVEBACK_H
#define MNM_GIVEBACK_H

#include "context.h"

/* Waits for all work queued on the device so far; then every block that was
 * freed before may be reused. Returns a CUresult. */
int device_wait(struct device *device);

/* Peers may use a device's memory from now on. A wait covers all devices,
 * and belongs into a free, where CUDA waits for peers as well: in an
 * allocation it could meet a kernel that waits for this very thread to start
 * its partner on another device. */
void device_peers_enable(void);
bool device_peers(void);

/* Gives back every idle block of the device, those of all its contexts and
 * pools, and waits for other threads that are doing so. Returns the bytes
 * given back by this call. */
size_t device_release(struct device *device);

/* Gives back the blocks that a swap or a trim has left. For allocations and
 * frees on that device only: elsewhere CUDA does not wait for it either. One
 * load when there are none. */
void device_poll(struct device *device);

/* A context of the device has blocks in its pending list. */
void device_announce(struct device *device);

#endif
