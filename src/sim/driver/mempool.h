/* Memory pools of stream-ordered allocation. A freed block stays in its pool if
 * the pool holds no more than its threshold. All calls need the lock. */
#ifndef SIM_MEMPOOL_H
#define SIM_MEMPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct block;
struct context;
struct device;

enum { POOL_REUSES = 3 };

struct mempool {
	unsigned magic;       /* 0 once it is gone; the object is used again */
	struct mempool *next; /* of the device; its default one is first */
	struct device *dev;
	struct block *idle; /* linked by their `next` */
	size_t live;        /* blocks that are not idle */
	size_t most;        /* bytes that it may reserve; 0 for no limit */
	bool closed;        /* destroyed; ends with its last block */
	uint64_t threshold;
	uint64_t used, used_high; /* bytes asked for */
	uint64_t reserved, reserved_high;
	int reuse[POOL_REUSES];
	uint64_t readers, writers; /* a bit for each device */
};

/* Set up a device's default pool, or make one more. */
void mempool_open(struct mempool *pool, struct device *dev);
CUresult mempool_create(struct device *dev, struct mempool **pool);
/* Ends a pool, at once or when its last block is freed. */
void mempool_destroy(struct mempool *pool);
CUresult mempool_find(CUmemoryPool handle, struct mempool **pool);
CUresult mempool_alloc(struct mempool *pool, struct context *ctx, size_t size,
		       struct block **block);
/* Takes back a block that has left its context. Returns false if the block has
 * to go back to the arena. */
bool mempool_keep(struct block *block);
/* Gives idle blocks back as long as the pool still holds `keep`
 * bytes or more. */
void mempool_trim(struct mempool *pool, uint64_t keep);

#endif
