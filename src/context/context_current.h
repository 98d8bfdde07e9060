/* What context.c, the table of contexts, and context_current.c, the current
 * context of each thread, tell each other. */
#ifndef MNM_CONTEXT_CURRENT_H
#define MNM_CONTEXT_CURRENT_H

struct CUctx_st;
struct context;

/* Handles may mean other contexts now, or contexts have come or gone. */
void handles_changed(void);

/* The record of a handle; made now if there is none. Returns NULL if there is
 * no memory. */
struct context *context_get_or_create(struct CUctx_st *handle, int ordinal);

#endif
