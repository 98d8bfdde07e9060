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

/* What is held from before such a call until after it. */
struct primary_end {
	CUdevice device;
	bool enabled;
	struct context *context;
};

/* To be followed by the call, and then by finish: sure says that one which
 * succeeded has ended the context; else the driver is asked. */
struct primary_end primary_end_begin(CUdevice device);
CUresult primary_end_finish(const struct primary_end *end, CUresult res,
			    bool sure);

#endif
