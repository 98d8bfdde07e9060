/* The epochs of a device, with which frees stamp their blocks; see fence.h. */
#ifndef MNM_EPOCH_H
#define MNM_EPOCH_H

#include <stdatomic.h>
#include <stdint.h>

struct device;

/* Ends the epoch: work queued before a free of it was queued before this, so
 * what is recorded or waited for afterwards covers it. *bytes were waiting for
 * that, and are no longer counted. */
uint64_t epoch_end(struct device *device, uint64_t *bytes);

/* The same for what makes nothing safe: they are counted on. */
uint64_t epoch_next(struct device *device);

/* Unless it is as late already. */
void epoch_raise(_Atomic uint64_t *epoch, uint64_t to);

/* Blocks of epochs below `safe` may be reused from now on. */
void epoch_publish(struct device *device, uint64_t safe);

/* The same, as the host has seen the end of all work that was queued before. */
void epoch_over(struct device *device, uint64_t safe);

#endif
