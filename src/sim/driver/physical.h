/* Device memory without an address (cuMemCreate): what a handle stands
 * for. It lives as long as a handle or a mapping of it does. All calls
 * need the lock. */
#ifndef SIM_PHYSICAL_H
#define SIM_PHYSICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct device;
struct mapping;

struct physical {
	unsigned magic; /* 0 once it is gone; the object is used again */
	struct physical *prev, *next; /* of the live ones, or spare */
	struct device *dev;
	size_t size;
	unsigned handles; /* creations, imports and retains not released */
	unsigned maps;
	struct mapping *mappings; /* so many, linked by next */
	CUmemAllocationProp prop;
	uint32_t granule;  /* the first that it takes, unless imported */
	bool imported;     /* and so takes no granules here */
	bool used;         /* may have been written to */
	int file;          /* its own, if others may share it, or -1 */
	uint64_t launches; /* of all devices, when it was made */
};

/* The memory of a handle from the program, or CUDA_ERROR_INVALID_VALUE. */
CUresult physical_find(CUmemGenericAllocationHandle handle,
		       struct physical **physical);
/* For when a mapping or handle has gone: frees the memory if it was
 * the last. */
void physical_drop(struct physical *physical);
/* Maps its first bytes at an address, without access. Returns false if the host
 * cannot do that. */
bool physical_map(const struct physical *physical, CUdeviceptr addr,
		  size_t size);

#endif
