/* Windows: device memory at addresses outside of its device's arena. It belongs
 * to another process or was given as a file. All calls need the lock. */
#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "block.h"

struct window {
	struct block block; /* first: a window is found as its block */
	void *pages;        /* what the host has mapped; NULL if it is lent */
	size_t length;
	unsigned opens; /* times it was opened and not closed */
	CUipcMemHandle handle;
};

/* Maps size bytes of a file from offset on. CUDA_ERROR_MAP_FAILED or
 * CUDA_ERROR_OUT_OF_MEMORY. */
CUresult window_open(struct context *ctx, struct device *dev, int fd,
		     off_t offset, size_t size, enum block_kind kind,
		     struct window **window);
/* The same for memory of a pool, which has a file to map. */
CUresult window_import(struct mempool *pool, off_t offset, size_t size,
		       struct window **window);
/* The same for memory of this process, which stays as it is. */
CUresult window_lend(struct context *ctx, struct device *dev, void *addr,
		     size_t size, struct window **window);
/* Unmaps a window, which is in no context any more. */
void window_close(struct block *block);

/* The list of blocks that are in no arena, by address. outside_add() returns
 * false when memory is short. */
bool outside_add(struct block *block);
void outside_remove(struct block *block);
/* The block in the list that an address lies in, or NULL. */
struct block *outside_find(CUdeviceptr addr);
/* The first block in the list that ends after an address, or NULL. */
struct block *outside_after(CUdeviceptr addr);

#endif
