/* Calls that may end a device's primary context. */
#ifndef MNM_PRIMARY_H
#define MNM_PRIMARY_H

#include <stdbool.h>

#include "cuda/real.h"

struct context;

/* How often the driver is asked whether a context lives, until it answers. */
enum { ASKS_MAX = 3 };

/* To be called around each call that may begin or end a device's primary
 * context. enabled: whether mnm is enabled. */
void primary_enter(CUdevice device, bool enabled);
void primary_leave(CUdevice device, bool enabled);

/* To be called between these two: a green context has retained the primary
 * one. */
void primary_has_green(CUdevice device);

enum primary_call { PRIMARY_RELEASE, PRIMARY_GREEN_ENDS, PRIMARY_RESET };

/* What is kept from before such a call until after it. */
struct primary_end {
	CUdevice device;
	enum primary_call call;
	bool enabled;
	bool outlasted;          /* others hold it, so it does not end */
	struct context *context; /* the one that may end, or NULL */
};

/* begin comes before the call, and finish after it, with the call's result,
 * which it returns. A reset that succeeds has ended the context. Any other call
 * takes away one of its holders, and the driver is asked whether it still
 * lives. */
struct primary_end primary_end_begin(CUdevice device, enum primary_call call);
CUresult primary_end_finish(const struct primary_end *end, CUresult res);

#endif
