/* What a kernel may touch around an address. */
#ifndef SIM_EXTENT_H
#define SIM_EXTENT_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct extent {
	CUdeviceptr begin, end;
	bool writable;
};

/* The live memory at an address: what was asked for. Needs the lock. */
bool extent_find(CUdeviceptr addr, struct extent *extent);
/* What a kernel that runs now may touch: all that a block takes. Memory of a
 * pool may have been freed by a later call. Takes the lock. */
bool extent_now(CUdeviceptr addr, struct extent *extent);
/* Whether this is so for all of a range. Takes the lock. */
bool extent_has(CUdeviceptr addr, size_t size, bool write);

#endif
