/* One fence: events of contexts, and the order of their work by these. */
#ifndef MNM_FENCE_MAKE_H
#define MNM_FENCE_MAKE_H

struct device;

/* The most contexts that one covers: each waits for each. */
enum { FENCE_CONTEXTS = 8 };

/* Puts all work of a device so far before all its later work, without a wait,
 * and makes safe what was freed before, if no other device's may use its
 * memory. A CUresult; FENCE_NOT_NOW: a capture is on, a context is just ending,
 * or has just come. */
enum { FENCE_NOT_NOW = -1 };
int fence_try(struct device *device);

#endif
