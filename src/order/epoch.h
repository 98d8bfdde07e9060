/* The epochs of a device, with which frees stamp their blocks; see fence.h. */
#ifndef MNM_EPOCH_H
#define MNM_EPOCH_H

#include <stdatomic.h>
#include <stdint.h>

struct device;

/* Ends the epoch and returns the next one. Work that was queued before a free
 * in the ended epoch was queued before this call, so an event that is recorded
 * after it, or a wait that begins after it, covers that work. *bytes were
 * waiting for that, and are no longer counted as quarantined. */
uint64_t epoch_end(struct device *device, uint64_t *bytes);

/* Ends the epoch as epoch_end does, but leaves the quarantined bytes counted,
 * as nothing becomes safe by this. */
uint64_t epoch_next(struct device *device);

/* Raises *epoch to `to`, unless it is as late already. */
void epoch_raise(_Atomic uint64_t *epoch, uint64_t to);

/* Blocks of epochs below `safe` may be reused from now on. */
void epoch_publish(struct device *device, uint64_t safe);

/* Blocks of epochs below `safe` may be reused from now on, and the host has
 * seen the end of all work that was queued before they were freed. */
void epoch_over(struct device *device, uint64_t safe);

#endif
