/* Fresh memory, within the limits. */
#ifndef MNM_ACQUIRE_H
#define MNM_ACQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct heap;

/* Not a CUresult: a limit does not allow the request. */
enum { TAKE_LIMITED = -1 };

/* Takes span bytes from the driver in the heap's context, which is current. If
 * pressed, idle blocks make room first, and only the hard limit counts in the
 * end; otherwise out of memory is not the last word. Returns a CUresult, or
 * TAKE_LIMITED. */
int heap_alloc(struct heap *heap, size_t span, bool pressed, uint64_t *addr);

/* Frees what that gave; waits for work as the driver's own free does. Returns a
 * CUresult. */
int heap_free(const struct heap *heap, uint64_t addr);

/* As heap_alloc, by another call: take(arg) returns a CUresult. */
int heap_take(struct heap *heap, size_t span, bool pressed,
	      int (*take)(void *arg), void *arg);

/* Whether the device has that much memory at all. If not, nothing that goes
 * back helps a request. */
bool device_can_hold(const struct device *device, size_t bytes);

#endif
