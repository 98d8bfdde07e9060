/* Regions of managed memory: the driver may move their pages between the device
 * and the host. A program that has asked for memory of the device is to notice
 * nothing of that, so they take no more than the device has. */
#ifndef MNM_MANAGED_H
#define MNM_MANAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap;

/* Whether regions of the heap may be of managed memory now. */
bool managed_serves(const struct heap *heap);

/* As heap_alloc, for managed memory. It is out of memory where the device would
 * be if all that is reserved were its own. */
int managed_alloc(struct heap *heap, size_t span, bool pressed, uint64_t *addr);

/* Whether the current context's device is to be the preferred place of so many
 * bytes of managed memory. */
bool managed_prefers_device(size_t bytes);

#endif
