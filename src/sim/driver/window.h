/* Windows: device memory at addresses outside of its device's arena, which
 * belongs to another process or was given as a file. All need the lock. */
#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "block.h"

struct window {
	struct block block; /* first: a window is found as its block */
	void *pages;        /* what the host has mapped */
	size_t length;
	unsigned opens; /* times it was opened and not closed */
	CUipcMemHandle handle;
};

/* Maps size bytes of a file from offset on. CUDA_ERROR_MAP_FAILED. */
CUresult window_open(struct context *ctx, struct device *dev, int fd,
		     off_t offset, size_t size, enum block_kind kind,
		     struct window **window);
/* Unmaps it; it is in no context any more. */
void window_close(struct block *block);

/* The blocks that are in no arena, by address. */
bool outside_add(struct block *block);
void outside_remove(struct block *block);
/* The one that an address lies in, or NULL. */
struct block *outside_find(CUdeviceptr addr);
/* The first that ends after an address, or NULL. */
struct block *outside_after(CUdeviceptr addr);

#endif
