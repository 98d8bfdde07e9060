/* Address ranges that the program reserved (cuMemAddressReserve). */
#ifndef SIM_RANGE_H
#define SIM_RANGE_H

#include <stddef.h>

#include <cuda.h>

struct range {
	struct range *next;
	CUdeviceptr addr;
	size_t size;
	CUdeviceptr pages; /* what the host has reserved for it */
	size_t length;
};

/* The range that an address lies in, or NULL. */
const struct range *range_find(CUdeviceptr addr);

#endif
