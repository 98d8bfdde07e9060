/* What the table of contexts and the thread's view of it tell each other. */
#ifndef MNM_CONTEXT_CURRENT_H
#define MNM_CONTEXT_CURRENT_H

struct CUctx_st;
struct context;

/* Handles may mean other contexts, or contexts have come or gone. */
void handles_changed(void);

/* The record of a handle that is current and was not known; made now. NULL: no
 * memory. */
struct context *context_get_or_create(struct CUctx_st *handle, int ordinal);

#endif
