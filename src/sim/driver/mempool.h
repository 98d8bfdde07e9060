/* Memory pools of stream-ordered allocation. What is freed stays in the pool
 * as long as that holds no more than its threshold. All need the lock. */
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
	struct block *idle; /* by their `next` */
	size_t live;        /* blocks that are not idle */
	size_t most;        /* bytes it may reserve; 0: no limit */
	bool closed;        /* its end waits for its blocks */
	uint64_t threshold;
	uint64_t used, used_high; /* bytes asked for */
	uint64_t reserved, reserved_high;
	int reuse[POOL_REUSES];
	uint64_t readers, writers; /* a bit for each device */
};

/* A device's default one, or one more. */
void mempool_open(struct mempool *pool, struct device *dev);
CUresult mempool_create(struct device *dev, struct mempool **pool);
/* At once, or when its last block is freed. */
void mempool_destroy(struct mempool *pool);
CUresult mempool_find(CUmemoryPool handle, struct mempool **pool);
CUresult mempool_alloc(struct mempool *pool, struct context *ctx, size_t size,
		       struct block **block);
/* Of a block that left its context. False: its memory has to go back. */
bool mempool_keep(struct block *block);
/* Gives idle blocks back while it holds more than that. */
void mempool_trim(struct mempool *pool, uint64_t keep);

#endif
