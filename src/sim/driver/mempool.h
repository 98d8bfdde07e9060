/* Memory pools of stream-ordered allocation. A freed block stays in its pool.
 * What a pool holds above its threshold goes back when a host has waited for
 * work, if that told it that the free is complete. All calls need the lock. */
#ifndef SIM_MEMPOOL_H
#define SIM_MEMPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cuda.h>

#include "reuse.h"

struct block;
struct device;

struct mempool {
	unsigned magic;       /* 0 once it is gone; the object is used again */
	struct mempool *next; /* of the device; its default one is first */
	struct device *dev;
	struct block *blocks; /* that the program has */
	struct block *idle;   /* freed; linked by their `next` */
	size_t most;          /* bytes that it may reserve; 0 for no limit */
	bool closed;          /* destroyed; ends with its last block */
	uint64_t threshold;
	uint64_t used, used_high; /* bytes asked for */
	bool overcounts; /* `used` has idle blocks, until a host has waited */
	uint64_t reserved, reserved_high;
	int reuse[POOL_REUSES];
	uint64_t readers, writers;         /* a bit for each device */
	CUmemAllocationHandleType handles; /* by which others may open it */
	uint64_t id;    /* of the process that made it; never used again */
	pid_t exporter; /* that process, if the pool is imported; else 0 */
	int file;       /* the memory of that process's device */
	CUmemAllocationType type;
	CUmemLocation location; /* its id is 0 where the type has none */
	bool standard;          /* a default pool, which stays */
	bool current; /* of its place, if that is no device's pinned memory */
};

/* Whether the host uses the pool's memory without a call. */
static inline bool mempool_is_hosts(const struct mempool *pool)
{
	return pool->type == CU_MEM_ALLOCATION_TYPE_MANAGED ||
	       pool->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

/* Set up a device's default pool, or make one more. Both are of pinned memory
 * until the caller says otherwise. */
void mempool_open(struct mempool *pool, struct device *dev);
CUresult mempool_create(struct device *dev, struct mempool **pool);
/* Ends a pool, at once or when its last block has gone back. */
void mempool_destroy(struct mempool *pool);
CUresult mempool_find(CUmemoryPool handle, struct mempool **pool);
/* Allocates a block for work that is queued to the stream from now on. Does not
 * wait. */
CUresult mempool_alloc(struct mempool *pool, struct stream *stream, size_t size,
		       struct block **block);
/* Takes back a block that has left the pool's list, and whose free, if it was
 * queued to a stream, is noted. */
void mempool_give(struct block *block);
/* The same of a block that the host has freed: it counts as used until a host
 * waits. */
void mempool_give_at_once(struct block *block);
/* A stream has reached the free of a block of this pool. */
void mempool_reach(struct mempool *pool, const struct stream *stream);
/* Gives idle blocks back as long as the pool still holds `keep` bytes or more.
 * Their frees must be known to be complete. */
void mempool_trim(struct mempool *pool, uint64_t keep);
/* A host has waited: all pools give back what they hold above
 * their thresholds. */
void mempool_settle(void);
/* A stream is destroyed. What was freed in it, and is over, goes back in the
 * same way. */
void mempool_leave(const struct stream *stream);
/* Counts a block of another process in its pool, which is imported, or counts
 * it no more: it has left the pool's list. */
void mempool_adopt(struct block *block);
void mempool_forget(struct block *block);
/* A context of the device has ended: its pools give back what is idle. If `all`
 * is set, all blocks are freed first. */
void mempool_reset(struct device *dev, bool all);

#endif
