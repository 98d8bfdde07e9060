/* What has to be over before a context goes. */
#ifndef MNM_CONTEXT_LEAVE_H
#define MNM_CONTEXT_LEAVE_H

#include <stdbool.h>

struct context;

/* The memory of a context is about to go, pinned memory too, and its own work
 * with it. What was freed of that memory may still be used by other contexts:
 * waits for these, and for nothing if there is no such memory. False: it could
 * not, as a stream captures or another context is just ending. */
bool fence_leave(struct context *context);

#endif
