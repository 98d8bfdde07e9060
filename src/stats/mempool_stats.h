/* What CUDA's own pools (CUmemoryPool) would say of the memory that mnm serves
 * for them. Each has a number from 1 on; 0 stands for none. */
#ifndef MNM_MEMPOOL_STATS_H
#define MNM_MEMPOOL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/block.h"
#include "thread_stats.h"

_Static_assert((int)MEMPOOLS <= (int)POOL_ALIGN, "see block_mempool");

/* A number is given out: all its figures are 0. Blocks that have it already are
 * idle, and count as returned. */
void mempool_stats_open(unsigned int number);

/* No more bytes than that can be reserved for the pool of that number. */
void mempool_stats_limit(unsigned int number, size_t bytes);

/* Whether a number was ever given out. */
bool mempools_are_used(void);

/* Whether any block has the number. */
bool mempool_has_blocks(unsigned int number);

/* Counts bytes that the pool of that number, or none (0), has now, or has no
 * more. */
void mempool_reserve(unsigned int number, int64_t bytes);

/* The memory of the block is no pool's of CUDA's any more. */
void mempool_leave(struct block *block);

/* The program has so many bytes more of the pool of that number, or fewer. */
void mempool_count(unsigned int number, int64_t bytes);

/* The program has so many bytes more of the pool that CUDA itself has served,
 * or fewer. */
void mempool_count_beside(unsigned int number, int64_t bytes);

/* CUDA itself holds so many bytes for the pool now, used or idle. With number 0
 * that is nobody's. */
void mempool_reserve_beside(unsigned int number, uint64_t bytes);

/* Whether the program has memory of the pool that CUDA has served. */
bool mempool_is_beside(unsigned int number);

/* The calling thread has used up what it may take before there may be a new
 * maximum, or does not know how much that is: notes the maximum, and says how
 * much more. The maximum is exact if there is one thread, and otherwise as that
 * of live_bytes (thread_stats_sync). */
void mempool_notice(unsigned int number);

/* CUDA would have given back by now what the pool has idle past `keep` bytes in
 * all. What mnm keeps of it does not count as the pool's any more. Returns the
 * bytes that this has made less. */
size_t mempool_return(unsigned int number, size_t keep);

/* Bytes now. What is used are bytes that were asked for; what is reserved was
 * taken from the driver, and not returned. */
struct mempool_figures {
	uint64_t used, reserved;
};
struct mempool_figures mempool_figures(unsigned int number);

/* What both, mnm and CUDA, had of it together at most since the mark was set to
 * what they had then. beside: what CUDA has now, which it knows best. The peak
 * of what is used is exact as mempool_notice says, but for what CUDA still
 * calls used after its free, and for what other threads had left to take when
 * CUDA served a request without a capture; that of what is reserved misses what
 * CUDA's pool has taken and given back between two looks at it
 * (mem/cuda_pools.h). */
uint64_t mempool_used_peak(unsigned int number, uint64_t beside);
uint64_t mempool_reserved_peak(unsigned int number, uint64_t beside);
void mempool_mark_used(unsigned int number);
void mempool_mark_reserved(unsigned int number);

#endif
