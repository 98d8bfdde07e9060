/* One fence: an event in each context, and the waits of their later work for
 * these events. */
#ifndef MNM_FENCE_MAKE_H
#define MNM_FENCE_MAKE_H

struct device;

/* The most contexts that one fence covers: each waits for all events. */
enum { FENCE_CONTEXTS = 8 };

/* Puts all work of a device so far before all its later work, without a wait of
 * the host, and makes safe what was freed before, if no other device's contexts
 * may use its memory. Returns a CUresult, or FENCE_NOT_NOW if it made nothing
 * safe because a capture is on, or because a context is just ending, has just
 * come or is another device's. */
enum { FENCE_NOT_NOW = -1 };
int fence_try(struct device *device);

#endif
