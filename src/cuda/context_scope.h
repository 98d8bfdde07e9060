/* Makes a context current for a call of our own, in a mode in which that call
 * does not invalidate a capture that another thread has begun. */
#ifndef MNM_VISIT_H
#define MNM_VISIT_H

#include "real.h"

struct visit {
	CUcontext target, before;
	CUstreamCaptureMode mode;
};

CUresult visit_begin(struct visit *visit, CUcontext target);
void visit_end(struct visit *visit);

/* The calling thread's mode for captures; a driver before 10.1 has none. */
void mode_exchange(CUstreamCaptureMode *mode);

#endif
