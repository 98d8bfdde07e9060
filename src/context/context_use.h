/* Around a call that may end a context. */
#ifndef MNM_CONTEXT_USE_H
#define MNM_CONTEXT_USE_H

#include <stdbool.h>

struct context;

/* It begins. False: the context is in use, and it has not. */
bool context_closing(struct context *context);

/* Whether a call waits until a context is not in use. */
bool contexts_awaited(void);

/* It has returned. */
void context_closed(struct context *context);

#endif
