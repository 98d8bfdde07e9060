/* The handles of green contexts: other names of their device's primary one,
 * whose memory is theirs, and whose events cover their work. */
#ifndef MNM_GREEN_CONTEXT_H
#define MNM_GREEN_CONTEXT_H

#include <stdbool.h>

struct context;
struct CUctx_st;

/* The primary context of a green one; NULL: the handle is not known as one. */
struct context *green_whole(const struct CUctx_st *handle);

/* False: no memory. */
bool green_register(const struct CUctx_st *handle, struct context *whole);
void green_forget(const struct CUctx_st *handle);

#endif
