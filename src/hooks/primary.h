/* Calls that may end a device's primary context. */
#ifndef MNM_PRIMARY_H
#define MNM_PRIMARY_H

#include <stdbool.h>

#include "real.h"

struct context;

/* Around each call that may begin or end a device's primary context; enabled:
 * whether mnm is. */
void primary_enter(CUdevice device, bool enabled);
void primary_leave(CUdevice device, bool enabled);

/* Between these two: one more holds it. */
void primary_held(CUdevice device);

/* What is held from before such a call until after it. */
struct primary_end {
	CUdevice device;
	bool enabled;
	bool outlasted;          /* by others that hold it: it does not end */
	struct context *context; /* that may end, or NULL */
};

/* To be followed by the call, and then by finish. A reset ends the context if
 * it succeeds; else one holder goes, and the driver is asked. */
struct primary_end primary_end_begin(CUdevice device, bool reset);
CUresult primary_end_finish(const struct primary_end *end, CUresult res,
			    bool reset);

#endif
