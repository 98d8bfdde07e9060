/* The handles of green contexts: other names of their device's primary context.
 * Its memory is theirs, and its events cover their work. */
#ifndef MNM_GREEN_CONTEXT_H
#define MNM_GREEN_CONTEXT_H

#include <stdbool.h>

struct context;
struct CUctx_st;

/* The primary context of a green one; NULL if the handle is not known as
 * one. */
struct context *green_whole(const struct CUctx_st *handle);

/* Returns false if there is no memory. */
bool green_register(const struct CUctx_st *handle, struct context *whole);
void green_forget(const struct CUctx_st *handle);

#endif
