/* Calls that may end a device's primary context. */
#ifndef MNM_PRIMARY_H
#define MNM_PRIMARY_H

#include <stdbool.h>

#include "cuda/real.h"

struct context;

enum { ASKS_MAX = 3 }; /* whether a context lives, until there is an answer */

/* Around each call that may begin or end a device's primary context; enabled:
 * whether mnm is. */
void primary_enter(CUdevice device, bool enabled);
void primary_leave(CUdevice device, bool enabled);

/* Between these two: a green context has retained it. */
void primary_has_green(CUdevice device);

enum primary_call { PRIMARY_RELEASE, PRIMARY_GREEN_ENDS, PRIMARY_RESET };

/* What is held from before such a call until after it. */
struct primary_end {
	CUdevice device;
	enum primary_call call;
	bool enabled;
	bool outlasted;          /* by others that hold it: it does not end */
	struct context *context; /* that may end, or NULL */
};

/* To be followed by the call, and then by finish. A reset ends the context if
 * it succeeds; else one that holds it goes, and the driver is asked. */
struct primary_end primary_end_begin(CUdevice device, enum primary_call call);
CUresult primary_end_finish(const struct primary_end *end, CUresult res);

#endif
