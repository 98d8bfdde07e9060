/* What lives, for the post-mortem: by size, by kind, and what it would take
 * elsewhere. */
#ifndef MNM_POSTMORTEM_LIVE_H
#define MNM_POSTMORTEM_LIVE_H

#include <stddef.h>
#include <stdint.h>

struct device;

/* Writes what lives on the device and what is free inside of its pools. It is
 * out of memory for a request of so many bytes. */
void postmortem_put_live(const struct device *device, size_t asked);

/* Writes what other pools would need for it and the request; to be called after
 * that. beside: bytes that are not pooled. room: those that the process may
 * have of the device; 0: not known. */
void postmortem_put_estimates(uint64_t beside, uint64_t room);

#endif
