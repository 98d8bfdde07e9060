#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "arena.h"
#include "context.h"
#include "mempool.h"

struct device {
	int ordinal; /* CU_DEVICE_CPU if it is world_host() */
	struct arena arena;
	struct context primary; /* the handle stays, `alive` comes and goes */
	unsigned primary_retains;
	unsigned primary_flags;
	struct context *contexts; /* the others, until each is destroyed */
	uint64_t pending;         /* operations queued and not complete */
	uint64_t end;             /* virtual end of all its work */
	/* Bytes of blocks other than pools' that were freed in streams since a
	 * host waited for all work. */
	uint64_t loose;
	uint64_t launches; /* kernels queued so far: they may write anywhere */
	struct mempool pool; /* the default one; others by its `next` */
	struct mempool *pool_current;
	/* What graphs hold, by attribute. */
	uint64_t graph_memory[CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH + 1];
};

/* The device of a handle; CUDA_ERROR_INVALID_DEVICE when there is none. */
CUresult device_find(CUdevice handle, struct device **dev);
/* Waits until everything that is queued for the device now is complete. Returns
 * true if the lock may have been dropped meanwhile. */
bool device_wait(struct device *dev);
/* The live block of any device, or of the host's pools, at that address,
 * or NULL. */
struct block *device_block(CUdeviceptr addr);
/* Whether it is managed memory, or the host's pinned memory of a pool. */
bool block_is_managed(const struct block *block);
bool block_is_pinned(const struct block *block);
/* Whether an address belongs to some device's address space. */
bool device_owns(CUdeviceptr addr);
/* Frees a block whose work is complete. One of a pool or graph goes there. */
void device_free(struct block *block);

#endif
