/* Around a call that may end a context. */
#ifndef MNM_CONTEXT_USE_H
#define MNM_CONTEXT_USE_H

#include <stdbool.h>

struct context;

/* The call begins. Returns false if the context is in use, and it has not
 * begun. */
bool context_closing(struct context *context);

/* Whether a call waits in context_unused until nobody uses a context. */
bool contexts_awaited(void);

/* The call has returned. */
void context_closed(struct context *context);

#endif
