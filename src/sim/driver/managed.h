#ifndef SIM_MANAGED_H
#define SIM_MANAGED_H

#include <stddef.h>

#include <cuda.h>

struct block;

/* The managed block that holds the range, or NULL. */
struct block *managed_range(CUdeviceptr addr, size_t size);
/* Whether managed memory can be brought there. */
CUresult managed_location_check(CUmemLocation location);

#endif
