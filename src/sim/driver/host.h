/* Host memory that the driver knows: its own, and what the program
 * registered. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;

struct host_block {
	char *base;
	size_t size;
	unsigned flags;  /* CU_MEMHOSTALLOC_* or CU_MEMHOSTREGISTER_* */
	bool registered; /* the program's own memory */
	uint64_t id;     /* as a block's; never used again */
	struct context *ctx;
};

/* What the driver allocated, without what the program registered. */
struct host_count {
	size_t live, live_bytes, peak; /* blocks; bytes; the most bytes */
};

extern struct host_count host_count;

/* The block that an address lies in, or NULL. Valid until the next change. */
const struct host_block *host_find(const void *addr);
/* Whether an address is the driver's or registered host memory, of a pool
 * or not. */
bool host_is_pinned(const void *addr);
/* Whether so many more bytes of host memory may be pinned. */
bool host_has_room(size_t size);
/* Forgets what belongs to a context, and frees what is the driver's. */
void host_close(struct context *ctx);

#endif
