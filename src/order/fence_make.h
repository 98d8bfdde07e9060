/* One fence: an event in each context, and the waits of their later work for
 * these events. */
#ifndef MNM_FENCE_MAKE_H
#define MNM_FENCE_MAKE_H

struct device;

/* The most contexts that one fence covers: each waits for all events. */
enum { FENCE_CONTEXTS = 8 };

/* Puts all work of a device so far before all its later work, without a wait of
 * the host, and makes safe what was freed before. Returns a CUresult, or
 * FENCE_NOT_NOW if nothing was made safe: a capture is on, a context is just
 * ending or has just come, no context lives, there are more than FENCE_CONTEXTS
 * of them, or contexts of other devices may use the memory. */
enum { FENCE_NOT_NOW = -1 };
int fence_try(struct device *device);

#endif
