/* The checker's rule: what an operation touches must have an owner, and
 * whatever earlier owners' operations did to those bytes must be ordered
 * before it. */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "site.h"

struct op;
struct owner;
struct stream;

/* The last operation of a lane (past.h) that touched an owner's memory. The
 * range covers all bytes that operations of that lane touched there, since an
 * owner frees its memory as a whole. */
struct access {
	unsigned lane;
	uint64_t position;
	CUdeviceptr addr, end;
	struct site site;
};

/* Checks what an operation touches that is about to be queued behind its
 * `before`, which has the operation itself. Returns false when memory
 * is short. */
bool access_submit(struct op *op, struct stream *stream);
/* Reports accesses to [addr, end) that no host has waited for; order on the
 * device is not enough. `owner` has the memory now, or is NULL. */
void access_unwaited(CUdeviceptr addr, CUdeviceptr end,
		     const struct owner *owner, const char *what);
/* Reports accesses of this owner that no host has waited for. */
void access_unfinished(struct owner *owner, const char *what);
/* The operation is about to run: its memory must not have gone back to the
 * driver. Returns false if it has: the host would not survive the run. */
bool access_start(const struct op *op);
/* The operation is over, or was never queued. */
void access_end(struct op *op);

#endif
