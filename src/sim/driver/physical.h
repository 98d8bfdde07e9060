/* Device memory without an address (cuMemCreate): what a handle stands for. It
 * lives as long as a handle or a mapping of it does. All need the lock. */
#ifndef SIM_PHYSICAL_H
#define SIM_PHYSICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct device;

struct physical {
	unsigned magic; /* 0 once it is gone; the object is used again */
	struct physical *prev, *next; /* of those that are there, or spare */
	struct device *dev;
	size_t size;
	unsigned handles; /* creations, imports and retains not released */
	unsigned maps;
	CUmemAllocationProp prop;
	uint32_t granule;  /* the first of those it takes, when not imported */
	bool imported;     /* another process's */
	bool used;         /* may have been written to */
	int file;          /* of its own, when others may share it, or -1 */
	uint64_t launches; /* of all devices, when it was made */
};

/* CUDA_ERROR_INVALID_VALUE for what is none. */
CUresult physical_find(CUmemGenericAllocationHandle handle,
		       struct physical **physical);
/* One mapping or handle less: it may have been the last. */
void physical_drop(struct physical *physical);
/* Puts its first bytes at an address, where there is nothing to be had. */
bool physical_map(const struct physical *physical, CUdeviceptr addr,
		  size_t size);

#endif
