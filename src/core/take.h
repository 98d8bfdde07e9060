/* Fresh memory, within the limits. */
#ifndef MNM_TAKE_H
#define MNM_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/* Takes span bytes from the driver in the current context. Pressed: idle
 * blocks make room first, and only the hard limit counts; else out of memory
 * is not the last word. Returns a CUresult. */
int device_take(struct device *device, size_t span, bool pressed,
		uint64_t *addr);

#endif
