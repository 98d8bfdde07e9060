/* The checker's rule: what an operation touches has an owner, and what earlier
 * owners' operations did to those bytes is ordered before it. */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "site.h"

struct op;
struct owner;
struct stream;

/* The last operation of a lane that touched an owner's memory, with all bytes
 * that operations of that lane touched there: an owner frees as a whole. */
struct access {
	unsigned lane;
	uint64_t position;
	CUdeviceptr addr, end;
	struct site site;
};

/* The operation is about to be queued behind its `before`: what it touches is
 * checked, and it becomes the stream's past. False when memory is short. */
bool access_submit(struct op *op, struct stream *stream);
/* Reports what touched [addr, end) and was not waited for by a host: being
 * ordered on the device is not enough. `owner` has it now, or NULL. */
void access_unwaited(CUdeviceptr addr, CUdeviceptr end,
		     const struct owner *owner, const char *what);
/* It is about to run: its memory must not have gone back to the driver. */
void access_start(const struct op *op);
/* It is over, or was never queued. */
void access_end(struct op *op);

#endif
