/* What has to be over before a context ends. */
#ifndef MNM_CONTEXT_LEAVE_H
#define MNM_CONTEXT_LEAVE_H

#include <stdbool.h>

struct context;

/* A context is about to end, with its own work and all of its memory, pinned
 * memory too. Other contexts may still use memory of it that the program has
 * freed: waits for these, and for nothing if there is no such memory. Returns
 * false if it could not wait, as a stream captures or another context is just
 * ending. */
bool fence_leave(struct context *context);

#endif
