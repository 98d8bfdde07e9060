/* Makes a context current for a call of our own, in a mode in which that call
 * does not invalidate a capture that another thread has begun. */
#ifndef MNM_CONTEXT_SCOPE_H
#define MNM_CONTEXT_SCOPE_H

#include "real.h"

struct context_scope {
	CUcontext target, before;
	CUstreamCaptureMode mode;
};

CUresult context_scope_begin(struct context_scope *scope, CUcontext target);
void context_scope_end(struct context_scope *scope);

/* Exchanges *mode for the calling thread's mode for captures. Does nothing on a
 * driver before 10.1, which has no such mode. */
void mode_exchange(CUstreamCaptureMode *mode);

#endif
